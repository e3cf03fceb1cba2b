"""Shows what was measured."""
