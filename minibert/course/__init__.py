"""Code that only the book needs: exercises, figures, planted bugs, and first-edition names."""
