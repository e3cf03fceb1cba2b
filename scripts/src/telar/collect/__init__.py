"""Reads what a run leaves behind and shows while it lasts: k6's rows, the host, the JVM."""
