"""What is known of object classes: names, words, hierarchy, lists, and how captions mention them."""
