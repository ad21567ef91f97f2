"""Pretrained weights: where they are found, how models are opened and saved, and files that are
written atomically.
"""
