"""Programs that end by themselves."""
