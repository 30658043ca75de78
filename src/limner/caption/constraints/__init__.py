"""What a caption has to say: constraints chosen from boxes, worded in tokens, and compiled to automata."""
