"""Decides which cells run, in which order. Pure: catalogue and wishes in, planned runs out."""
