"""What every kind of training shares: pretraining, fine-tuning and summarization.

loop         the loop over steps, random batches of similar lengths, stopping
optim        optimisers, their parameter groups, the learning-rate schedule
distributed  several processes: sums over all of them, DDP and FSDP
precision    float32 or bfloat16
memory       freed memory: kept for the next step, and returned to the system

Nothing here knows what is trained.
"""
