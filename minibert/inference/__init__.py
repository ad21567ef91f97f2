"""Using a trained model: fill-mask, sentence embeddings, interpretability, model cost."""
