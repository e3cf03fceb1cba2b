"""Waiting for an app to be ready, and a look at whether it keeps the contract before any load."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx

from telar.catalog.system import CheckFile, System
from telar.collect import prometheus
from telar.errors import RunError

READY_TIMEOUT = 90.0
PAUSE = 0.02
ANSWER_TIMEOUT = 10.0
VERIFY = False  # a guest on 127.0.0.1 shows a certificate of its own making
JSON = "application/json"
_REFERENCE = re.compile(r"\{([^{}]+)\}")


def wait_ready(url: str, check_alive: Callable[[], None]) -> float:
    """When the ready path first answered 200 (seconds since the epoch).

    `check_alive` raises when the app has died meanwhile.
    """
    deadline = time.monotonic() + READY_TIMEOUT
    last = "nothing listened there"
    with httpx.Client(timeout=2, trust_env=False, verify=VERIFY) as http:
        while time.monotonic() < deadline:
            check_alive()
            try:
                response = http.get(url)
                if response.status_code == httpx.codes.OK:
                    return time.time()
                last = f"the last answer was {response.status_code}: {response.text[:200]}"
            except httpx.TransportError as error:
                last = f"{type(error).__name__} {error}".strip()
            time.sleep(PAUSE)
    raise RunError(f"{url} was not ready after {READY_TIMEOUT:g} s: {last}", hint="see its log")


def first_response(base: str, path: str, told_by: str) -> float:
    """When the first request of the API was answered. `told_by`: what names the path."""
    with _api(base) as http:
        response = http.get(path)
    if response.status_code != httpx.codes.OK:
        raise RunError(
            f"{base}{path} answered {response.status_code}, not 200",
            hint=f"http.first of {told_by} is a path that answers 200 once the application is ready",
        )
    return time.time()


def require_metrics(base: str, path: str) -> None:
    """Raises RunError unless there is Prometheus text with something of Micrometer's: better now than after a
    window without a reading.
    """
    with _api(base) as http:
        response = http.get(path)
    try:
        found = prometheus.reduce(response.text) if response.status_code == httpx.codes.OK else {}
    except ValueError:  # another text
        found = {}
    if not found:
        raise RunError(
            f"{base}{path} answered {response.status_code}, and nothing of Micrometer's Prometheus text",
            hint="http.metrics of its variant.toml; Spring: MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE and "
            "micrometer-registry-prometheus",
        )


def check_contract(base: str, system: System) -> None:
    """A first look at what the system says its apps answer. The whole contract is the tests' matter."""
    answers: dict[str, Any] = {}
    with _api(base) as http:
        for check in system.file.http.check if system.file.http else ():
            path = _REFERENCE.sub(lambda m: str(_at(answers, m.group(1))), check.path)
            response = http.get(path)
            wrong = _wrong_form(response, check)
            if not wrong and check.type == JSON:
                answers[check.path] = response.json()
                wrong = _wrong_content(answers[check.path], check, answers)
            if wrong:
                raise RunError(
                    f"the app breaks the contract: GET {path} {wrong}",
                    hint=f"[[http.check]] of {system.path} says what is right",
                )


def _wrong_form(response: httpx.Response, check: CheckFile) -> str:
    """What is wrong with an answer's status or content type; empty where nothing is."""
    if response.status_code != check.status:
        return f"answered {response.status_code}, not {check.status}"
    found = response.headers.get("content-type", "")
    return "" if found == check.type else f"answered with the content type {found!r}, not {check.type!r}"


def _wrong_content(answer: Any, check: CheckFile, answers: Mapping[str, Any]) -> str:
    """What is wrong with the content of an answer, decoded from JSON; empty where nothing is."""
    if check.items is not None and (not isinstance(answer, list) or len(answer) != check.items):
        found = f"{len(answer)} items" if isinstance(answer, list) else "no array"
        return f"has {found}, not {check.items} items: is the database fresh?"
    if check.fields and (not isinstance(answer, dict) or list(answer) != list(check.fields)):
        found = str(list(answer)) if isinstance(answer, dict) else "none"
        return f"has the fields {found}, not {list(check.fields)}"
    if check.equals is not None and answer != _at(answers, check.equals):
        return f"differs from {check.equals}"
    return ""


def _at(answers: Mapping[str, Any], reference: str) -> Any:
    """What a reference `PATH#POINTER` (RFC 6901) stands for, among the answers so far."""
    path, _, pointer = reference.partition("#")
    found = answers.get(path)
    for step in pointer.split("/")[1:]:
        try:
            found = found[int(step)] if isinstance(found, list) else found[step]  # type: ignore[index]
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise RunError(
                f"the app breaks the contract: there is no {reference}",
                hint="the answer of an earlier check in system.toml hasn't what this one refers to",
            ) from error
    return found


@contextlib.contextmanager
def _api(base: str) -> Iterator[httpx.Client]:
    """A client whose failures say what wasn't answered."""
    with httpx.Client(base_url=base, timeout=ANSWER_TIMEOUT, trust_env=False, verify=VERIFY) as http:
        try:
            yield http
        except httpx.RequestError as error:
            asked = f"{error.request.method} {error.request.url}"
            why = f"{type(error).__name__} {error}".strip()
            raise RunError(f"{asked} was not answered: {why}", hint="see the app's log") from error
        except ValueError as error:
            raise RunError(f"the app answered with broken JSON: {error}", hint="see the app's log") from error
