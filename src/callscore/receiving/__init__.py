"""The OTLP receiver: spans come in over HTTP, are joined to traces, and are read and scored."""
