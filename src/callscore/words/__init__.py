"""How a score is put into words: diff, explanation, reasons and plain data, in two languages."""
