"""What action.yml runs on GitHub."""
