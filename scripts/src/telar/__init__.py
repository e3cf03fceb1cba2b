"""Telar: continuous benchmarking for JVM web services."""

__version__ = "0.1.0"
