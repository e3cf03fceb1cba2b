"""Chromium without a window, spoken to in its DevTools protocol over two pipes: no library needed."""

from __future__ import annotations

import itertools
import json
import os
import select
import subprocess
from pathlib import Path
from typing import Any

ANSWER = 60.0  # seconds that it may take to say anything


class Chromium:
    """One page. Keeps what it wrote to its console, and every request that it made."""

    def __init__(self, command: Path, profile: Path) -> None:
        self.console: list[str] = []
        self.requests: list[str] = []
        self._ids = itertools.count(1)
        self._buffer = b""
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        # The protocol's pipes are descriptors 3 and 4: a shell puts them there. No sandbox: containers
        # rarely allow one, and the pages are our own.
        shell = ("/bin/sh", "-c", f'exec "$@" 3</dev/fd/{commands} 4>/dev/fd/{answers}', "sh")
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe")
        self._process = subprocess.Popen(
            [*shell, command, *options, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._session = ""
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def open(self, path: Path, *, width: int = 1400, scheme: str = "light") -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme_ = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[scheme_])
        self.call("Page.navigate", url=path.as_uri())
        while self._read().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, expression: str) -> Any:
        """The value of some JavaScript, run from outside the page: its policy doesn't hold for it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def call(self, method: str, **params: object) -> dict[str, Any]:
        id_ = next(self._ids)
        session = {"sessionId": self._session} if self._session else {}
        os.write(
            self._to, json.dumps({"id": id_, "method": method, "params": params, **session}).encode() + b"\0"
        )
        while (answer := self._read()).get("id") != id_:
            pass
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def close(self) -> None:
        os.close(self._to)
        self._process.terminate()
        self._process.wait(ANSWER)
        os.close(self._from)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            readable, _, _ = select.select([self._from], [], [], ANSWER)
            chunk = os.read(self._from, 1 << 16) if readable else b""
            assert chunk, "Chromium says nothing any more"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        event: dict[str, Any] = json.loads(line)
        self._note(event.get("method", ""), event.get("params", {}))
        return event

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Log.entryAdded":
            self.console.append(params["entry"]["text"])
        elif method in {"Runtime.consoleAPICalled", "Runtime.exceptionThrown"}:
            self.console.append(json.dumps(params))
