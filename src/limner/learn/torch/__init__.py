"""Training with PyTorch: checkpoints, the loop, threads and processes. It knows nothing of images."""
