"""Every gate is shown to fire on its own fault: real runs, each with one thing really broken.

To add one: a `Fault` in `faults.py`. What a fault does is in its hooks: a run with one step
replaced.
"""
