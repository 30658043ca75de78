"""Pages that open from disk in any browser: of a corpus with results, and of caption scores."""
