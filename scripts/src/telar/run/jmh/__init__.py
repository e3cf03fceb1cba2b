"""A run of the kind jmh: a fork of one benchmark with one choice of its parameters."""
