"""JSON Schema: validation, and references inside a schema."""
