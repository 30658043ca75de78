"""Grounded text of vision-language models: what each model writes, read into captions, mentions and boxes."""
