"""From composed scenes to pixels, with Pillow."""
