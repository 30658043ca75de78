"""What makes a step function, which the search calls, of a model."""
