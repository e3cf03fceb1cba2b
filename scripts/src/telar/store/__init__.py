"""Keeps what was measured: one record a run, written once, never changed."""
