"""Using a trained model: filled masks, sentence embeddings, a look at what its layers hold, and
what it costs.
"""
