"""What wrk, wrk2 and oha print."""

from __future__ import annotations

import re

from telar.store.outside import Load, Outside, Run, Series

UNITS = {
    "ns": 1e-6,
    "us": 1e-3,
    "µs": 1e-3,
    "ms": 1.0,
    "s": 1e3,
    "sec": 1e3,
    "secs": 1e3,
    "m": 6e4,
    "h": 3.6e6,
}
TIME = r"([\d.]+) ?(ns|us|µs|ms|secs|sec|s|m|h)\b"
SHARES = {50.0: "p50", 90.0: "p90", 95.0: "p95", 99.0: "p99"}


def is_wrk(content: bytes) -> bool:
    return content.lstrip().startswith(b"Running ") and b"requests in" in content


def wrk(content: bytes, path: str) -> Outside:
    """Raises ValueError unless it has the line with the number of requests."""
    text = content.decode("utf-8", errors="replace")
    done = re.search(rf"^\s*(\d+) requests in {TIME}", text, re.MULTILINE)
    if not done:
        raise ValueError("has no line like '1234 requests in 30.00s'")
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    failed = sum(map(int, refused.groups() if refused else ())) + sum(
        map(int, errors.groups() if errors else ())
    )
    connections = re.search(r"(\d+) connections", text)
    average = re.search(rf"^\s*Latency\s+{TIME}", text, re.MULTILINE)
    own = _shares(rf"^\s*([\d.]+)%\s+{TIME}$", text)
    if average:
        own = {"mean": _ms(average[1], average[2]), **own}
    # wrk2 sends at a rate, and counts from when it was due; wrk sends as soon as an answer is there.
    corrected = "Recorded Latency" in text
    seconds = _ms(done[2], done[3]) / 1000
    return _outside(
        path,
        "wrk2" if corrected else "wrk",
        own,
        _rate(text),
        Load(
            requests=int(done[1]),
            failed=failed,
            users=int(connections[1]) if connections else None,
            seconds=seconds,
            closed=not corrected,
            late=corrected,
            p95_ms=own.get("p95"),
        ),
    )


def is_oha(content: bytes) -> bool:
    return content.lstrip().startswith(b"Summary:") and b"Success rate" in content


def oha(content: bytes, path: str) -> Outside:
    """Raises ValueError unless it has the distribution of status codes."""
    text = content.decode("utf-8", errors="replace")
    statuses = {int(code): int(n) for code, n in re.findall(r"\[(\d{3})\] (\d+) responses", text)}
    errors = sum(int(n) for n in re.findall(r"^\s*\[(\d+)\] (?!\d+ responses)", text, re.MULTILINE))
    requests = sum(statuses.values())
    if not requests:
        raise ValueError("has no status codes with their responses")
    total = re.search(rf"Total:\s+{TIME}", text)
    average = re.search(rf"Average:\s+{TIME}", text)
    own = _shares(rf"^\s*([\d.]+)% in {TIME}", text)
    if average:
        own = {"mean": _ms(average[1], average[2]), **own}
    return _outside(
        path,
        "oha",
        own,
        _rate(text),
        Load(
            requests=requests + errors,
            failed=errors + sum(n for code, n in statuses.items() if code >= 400),  # noqa: PLR2004
            seconds=_ms(total[1], total[2]) / 1000 if total else None,
            p95_ms=own.get("p95"),
        ),
    )


def _shares(pattern: str, text: str) -> dict[str, float]:
    found = re.findall(pattern, text, re.MULTILINE)
    return {SHARES[float(share)]: _ms(n, unit) for share, n, unit in found if float(share) in SHARES}


def _rate(text: str) -> float | None:
    found = re.search(r"Requests/sec:\s+([\d.]+)", text)
    return float(found[1]) if found else None


def _ms(number: str, unit: str) -> float:
    return float(number) * UNITS[unit]


def _outside(path: str, tool: str, figures: dict[str, float], rate: float | None, load: Load) -> Outside:
    series = {
        name: Series(unit="ms", better="smaller", runs=(Run(value=value),)) for name, value in figures.items()
    }
    if rate:
        series["rate"] = Series(unit="1/s", better="bigger", runs=(Run(value=rate),))
    return Outside(path=path, tool=tool, series=series, load=load)
