"""What only the book needs; nothing else in the package imports it."""
