"""Using a trained model: fill-mask, sentence scores and embeddings, interpretability, cost."""
