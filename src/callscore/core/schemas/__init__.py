"""JSON Schema: what is wrong with arguments, and how references in a schema are followed."""
