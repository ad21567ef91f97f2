"""The default corpus of 97 Wikipedia articles: reading, cleaning, caching, and labelled tasks."""
