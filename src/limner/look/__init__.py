"""What every page, plot and table shares: document, style, scripts, colours. It knows nothing of images."""
