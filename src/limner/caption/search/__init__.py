"""The search for the most probable sentences that meet constraints, with any model that scores the next token."""
