"""The commands. Each is thin: it reads what the user said, calls a stage, prints what came of it."""
