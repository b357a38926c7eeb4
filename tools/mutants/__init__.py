"""Small changes of the source that the public tests must notice."""
