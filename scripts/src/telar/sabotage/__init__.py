"""Every gate is shown to fire on its own fault: real runs, each with one thing really broken.

To add one: a `Fault` in `faults.py`. What a fault does is in the class of its run: `CellRun` with one step
replaced.
"""
