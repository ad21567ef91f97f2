"""Code that pretraining, fine-tuning and summarization share.

loop         the training loop, random batches of similar lengths, stopping
optim        optimisers, their parameter groups, the learning-rate schedule
muon         the optimiser Muon for processors without bfloat16
distributed  several processes: sums over all of them, DDP and FSDP
precision    float32 or bfloat16
memory       freed memory: kept for the next step, or returned to the system

Nothing here depends on the model or the task that is trained.
"""
