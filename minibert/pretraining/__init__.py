"""Pretraining: from a text to a BERT that was trained on it with MLM and NSP.

In the order in which a run uses them:

options       the recipe: every option, its default and its line of --help
settings      what a run was started with: the recipe, the corpus, the shape of the model
run_dir       the folder of a run: manifest, lock, sessions
preparation   from the text to a vocabulary and files of token ids
setup         the model, the run and its validation before the first step
batches       which sequences a step trains on, and what is masked in them
trainer       one step: losses, gradients, update
fused         the forward pass of training, rearranged for speed (fused_layer: one layer of it)
validation    the scores on text that is not trained on
session       the steps in a loop, with reports and checkpoints, until the end or a stop
log           log.jsonl
checkpointing checkpoints, and the way back into a run
environment   what may change the last bits of a run: code, machine, versions

mlm_evaluation and nsp_evaluation measure any pretrained model.
"""
