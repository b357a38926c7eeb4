"""What the dialects of one family share: one noun a module, and no dialect among them."""
