"""Runs cells: fresh database, app, warm-up, measured window, everything down, one record."""
