"""People's judgements of captions: how far they agree, and how well metrics follow them."""
