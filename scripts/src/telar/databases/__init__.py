"""The databases of the systems under test: how each is served, seeded, asked and counted."""
