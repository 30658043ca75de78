"""How captioners are trained: from corpora with captions, on whatever is known of their regions."""
