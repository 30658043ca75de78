"""From outputs and gold to scores with signatures and intervals."""
