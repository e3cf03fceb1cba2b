"""The only doors to the outside: the shell, and whatever is reached through it."""
