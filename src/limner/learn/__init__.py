"""What everything trained shares: model files that hold no code."""
