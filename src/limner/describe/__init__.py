"""From an image's boxes to grounded captions: select, order, realise."""
