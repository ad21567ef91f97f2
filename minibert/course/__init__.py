"""Code that only the book needs: exercises, figures, the bug clinic, and first-edition names."""
