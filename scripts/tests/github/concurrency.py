"""GitHub's rule for `concurrency`, as its documentation says it.

At most one job of a group runs and one is pending. A job that is queued while another one of its group is
in progress is pending. Any pending one of the same group is cancelled, and the new one takes its place:
whoever comes third ends the one that came second. Group names are compared without regard to capitals.
"""

from __future__ import annotations

from typing import Any

Job = dict[str, Any]


class Groups:
    def __init__(self) -> None:
        self.running: dict[str, Job] = {}
        self.pending: dict[str, Job] = {}

    def queue(self, group: str, job: Job) -> Job | None:
        """Queues a job; the one that is cancelled for it."""
        key = group.lower()
        if key not in self.running:
            self.running[key] = job
            return None
        before, self.pending[key] = self.pending.get(key), job
        if before is not None:
            before["conclusion"] = "cancelled"
        return before

    def end(self, group: str, conclusion: str = "success") -> Job | None:
        """The running one ends; the one that begins now."""
        key = group.lower()
        self.running.pop(key)["conclusion"] = conclusion
        if key in self.pending:
            self.running[key] = self.pending.pop(key)
        return self.running.get(key)
