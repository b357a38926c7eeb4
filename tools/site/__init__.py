"""Build the documentation site from the pages of the repository, and check the links in what was built."""
