"""Documents for summaries: text, Markdown and HTML read into sentences, sentences into windows of
tokens."""
