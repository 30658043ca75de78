"""Benchmarks: which images to choose, and how far each is from what captions tell of."""
