"""The door to GitHub's API."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from telar.errors import ConfigError, RunError

PAGE = 100
PAGES = 30  # at most: what has more than 3,000 entries isn't gone through
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/(?!\.{1,2}$)[A-Za-z0-9_.-]+")


class GitHub:
    """One repository. Raises RunError with what GitHub said when it refuses."""

    def __init__(self, repository: str, token: str, base: str = "https://api.github.com") -> None:
        if not _NAME.fullmatch(repository):
            raise ConfigError(f"{repository!r} is no OWNER/NAME of a repository")
        self.repository = repository
        self.server = base.rstrip("/")
        self._http = httpx.Client(
            base_url=f"{self.server}/repos/{repository}",
            headers={
                "Authorization": f"Bearer {token}",
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
                "User-Agent": "telar",
            },
            timeout=30,
            follow_redirects=True,  # an artifact is kept elsewhere; httpx doesn't take the token there
            transport=httpx.HTTPTransport(retries=3),
        )

    @classmethod
    def here(cls) -> GitHub:
        """That of the workflow that runs. Raises ConfigError outside of one."""
        try:
            repository, token = os.environ["GITHUB_REPOSITORY"], os.environ["GITHUB_TOKEN"]
        except KeyError as error:
            raise ConfigError(f"{error.args[0]} isn't set", hint="this command is for a workflow") from error
        return cls(repository, token, os.environ.get("GITHUB_API_URL", "https://api.github.com"))

    def get(self, path: str, **params: str | int) -> Any:
        return self._send("GET", path, params=params).json()

    def about(self) -> Any:
        """The repository itself."""
        return self.get(f"{self.server}/repos/{self.repository}")

    def every(self, path: str, key: str = "", **params: str | int) -> Iterator[Any]:
        """All entries of a list, page by page."""
        for page in range(1, PAGES + 1):
            found = self.get(path, per_page=PAGE, page=page, **params)
            entries = found[key] if key else found
            yield from entries
            if len(entries) < PAGE:
                return

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """None where GitHub has nothing to say."""
        found = self._send("POST", path, json=body)
        return found.json() if found.content else None

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._send("PATCH", path, json=body).json()

    def download(self, path: str, limit: int) -> bytes | None:
        """A file's content; None when it has more bytes than `limit`."""
        content = bytearray()
        try:
            with self._http.stream("GET", path) as answer:
                if answer.is_error:
                    answer.read()
                    raise _refused("GET", path, answer)
                for part in answer.iter_bytes():
                    content += part
                    if len(content) > limit:
                        return None
        except httpx.HTTPError as error:
            raise RunError(f"GitHub: GET {path}: {error}") from error
        return bytes(content)

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, path, **more)
        except httpx.HTTPError as error:
            raise RunError(f"GitHub: {method} {path}: {error}") from error
        if answer.is_error:
            raise _refused(method, path, answer)
        return answer


def _refused(method: str, path: str, answer: httpx.Response) -> RunError:
    try:
        said = answer.json().get("message", "")
    except (ValueError, AttributeError):
        said = ""
    hint = "does the workflow's token have the permission?" if answer.status_code in (401, 403) else ""
    return RunError(f"GitHub: {method} {path}: {answer.status_code} {said}".rstrip(), hint=hint)
