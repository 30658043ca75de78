"""The papers' tables and figures, each a function that crosses rooms."""
