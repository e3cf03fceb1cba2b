"""What a value of a TOML file may look like: the shapes that all of the catalogue's files are made of."""

from __future__ import annotations

from typing import Annotated

import msgspec


def shape(pattern: str, words: str) -> msgspec.Meta:
    """Text that is this from its start to its end; `$` alone would let a line's end pass."""
    return msgspec.Meta(pattern=rf"^(?:{pattern})$(?!\n)", description=words)


# Upper bounds catch a slip of the hand, and what no machine can do: 10^30 users, a rate that is "inf".
PositiveInt = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
Rate = Annotated[int, msgspec.Meta(ge=0, le=100_000)]  # arrivals per second
Users = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
Duration = Annotated[int, msgspec.Meta(ge=1, le=86_400)]  # seconds
Times = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Port = Annotated[int, msgspec.Meta(ge=1, le=65_535)]
Limit = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Bound = Annotated[float, msgspec.Meta(ge=-1e12, le=1e12)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
Text = Annotated[str, shape(r"[^\x00-\x1f\x7f]+", "a line of text")]
Name = Annotated[str, shape(r"[A-Za-z0-9][A-Za-z0-9._-]*", "a name of letters, digits and . _ -")]
JdkNumber = Annotated[str, shape(r"[1-9]\d{0,2}", "a JDK's number, like 25")]
Version = Annotated[str, shape(r"\d[0-9A-Za-z.+-]{0,40}", "a version")]
Digest = Annotated[str, shape(r"[0-9a-f]{64}", "a SHA-256 in hexadecimal")]
Selection = Annotated[str, shape(r"[A-Za-z0-9._*?\[\]!-]+", "a name, or a pattern with * ? [ ]")]
Below = Annotated[str, shape(r"(?!.*\.\.)[A-Za-z0-9._-][A-Za-z0-9._/-]*", "a relative path without ..")]
Place = Annotated[str, shape(r"(\.\.?/)*(\.\.?|[A-Za-z0-9._/-]+)", "a place, relative to this file")]
UrlPath = Annotated[str, shape(r"/[!-~]*", "a path that begins with /")]
Flag = Annotated[str, shape(r"-[^\x00-\x1f\x7f]+", "a flag, which begins with -")]
Processors = Annotated[str, shape(r"\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*", "processors like 0-1,4")]
Memory = Annotated[str, shape(r"[1-9]\d{0,5}[kmg]", "a size like 512m or 1g")]
Timeout = Annotated[str, shape(r"[1-9]\d{0,4}(ms|s|m)", "a time like 500ms or 2s")]
Budget = Annotated[str, shape(r"\d{1,4}(\.\d+)?[smh]", "a time like 90s, 15m or 1h")]


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a TOML file."""
