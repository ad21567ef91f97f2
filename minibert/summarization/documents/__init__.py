"""Read text, Markdown and HTML documents into sentences, and pack sentences into token windows."""
