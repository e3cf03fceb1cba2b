"""Commits that change one thing on purpose, for `telar ab` to find: nothing of them touches the checkout.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/slower.py
    ./telar ab --base HEAD --head COMMIT --only spring-mysql-blocking-virtual --budget 5m
    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/slower.py \\
        --row 12 5-ms-in-find 8
    ./telar bisect HEAD COMMIT --only spring-mysql-blocking-virtual --metric p50

Prints names and commits: each is HEAD with one change in apps/movies/spring-mysql-blocking, as a commit that
no branch knows. With --row, so many one after the other, of which only the one at that place has the change.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APP = "apps/movies/spring-mysql-blocking/src/main/"
CODE = APP + "java/dev/telar/movies/"
FIND = "return MovieJson.of(movies.find(MovieId.parse(id)));"
CREATE = "MovieJson created = MovieJson.of(movies.create(details));"
DELETE = "movies.delete(MovieId.parse(id));"
BEFORE = {"worse-index"}  # HEAD is what a change would make of them
NEAR = 50  # rows on each side
Edit = tuple[str, str, str]  # file, what is there, what stands there instead
SEARCHES = 120  # in each movie that is answered: about a tenth more CPU a request (docs/evidence.md)

CHANGES: dict[str, tuple[Edit, ...]] = {
    "comment-only": (
        (
            CODE + "MovieJson.java",
            "    static MovieJson of",
            "    // What the contract calls a movie.\n    static MovieJson of",
        ),
    ),
    "5-ms-in-find": (
        (
            CODE + "MovieController.java",
            FIND,
            "java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);\n        " + FIND,
        ),
    ),
    "cpu-of-a-tenth": (
        (
            CODE + "MovieJson.java",
            "    static MovieJson of",
            "    private static final int[] KNOWN =\n"
            "            java.util.stream.IntStream.range(0, 1 << 14).map(i -> 3 * i).toArray();\n\n"
            "    static MovieJson of",
        ),
        (
            CODE + "MovieJson.java",
            "        return new MovieJson",
            "        int found = 0;\n        int next = movie.id().hashCode();\n"
            "        for (int i = 0; i < SEARCHES; i++) {\n"
            "            next = next * 1664525 + 1013904223;\n"
            "            found += java.util.Arrays.binarySearch(KNOWN, (next >>> 8) % (3 << 14));\n"
            "        }\n"
            "        if (found == Integer.MIN_VALUE) {\n            throw new IllegalStateException();\n"
            "        }\n        return new MovieJson".replace("SEARCHES", str(SEARCHES)),
        ),
    ),
    # Was the tenth before. Its share of a request was 13 % in one session and 6 % in five, in which requests
    # took more CPU.
    "square-roots": (
        (
            CODE + "MovieJson.java",
            "        return new MovieJson",
            "        double x = movie.id();\n"
            "        for (int i = 0; i < 2000; i++) {\n            x = Math.sqrt(x + i);\n        }\n"
            "        if (x == 0.5) {\n            throw new IllegalStateException();\n        }\n"
            "        return new MovieJson",
        ),
    ),
    "3-ms-in-post": (
        (
            CODE + "MovieController.java",
            CREATE,
            "java.util.concurrent.locks.LockSupport.parkNanos(3_000_000);\n        " + CREATE,
        ),
    ),
    # Five times as long where a delete takes 1.5 ms.
    "delete-times-5": (
        (
            CODE + "MovieController.java",
            DELETE,
            "java.util.concurrent.locks.LockSupport.parkNanos(6_000_000);\n        " + DELETE,
        ),
    ),
    # Reads a range of the key for what one row of it holds, as with an index on less than what is asked for.
    # A comparison has it as its base, and HEAD as the better index.
    "worse-index": (
        (
            CODE + "MovieRepository.java",
            "    /** A list, not a Page",
            "    @Query(\n"
            '            "select m from Movie m where m.id between :id - NEAR and :id + NEAR"\n'
            '                    + " order by abs(m.id - :id), m.id limit 1")\n'
            "    java.util.Optional<Movie> near(long id);\n\n"
            "    /** A list, not a Page".replace("NEAR", str(NEAR)),
        ),
        (
            CODE + "MovieService.java",
            "        return movies.findById(id)",
            "        return movies.near(id).filter(m -> m.id() == id)",
        ),
    ),
    "n-plus-1": (
        (
            CODE + "MovieController.java",
            ".stream().map(MovieJson::of)",
            ".stream().map(m -> movies.find(m.id())).map(MovieJson::of)",
        ),
    ),
    "pool-of-2": (
        (APP + "resources/application.properties", "maximum-pool-size=20", "maximum-pool-size=2"),
        (APP + "resources/application.properties", "minimum-idle=20", "minimum-idle=2"),
    ),
    "leak": (
        (
            CODE + "MovieJson.java",
            "    static MovieJson of",
            "    private static final java.util.Queue<byte[]> KEPT =\n"
            "            new java.util.concurrent.ConcurrentLinkedQueue<>();\n\n    static MovieJson of",
        ),
        (
            CODE + "MovieJson.java",
            "        return new MovieJson",
            "        KEPT.add(new byte[256]);\n        return new MovieJson",
        ),
    ),
    "json-twice": (
        (
            CODE + "MovieController.java",
            "    MovieJson find(@PathVariable String id) {\n        " + FIND,
            "    tools.jackson.databind.JsonNode find(@PathVariable String id) {\n"
            "        MovieJson found = MovieJson.of(movies.find(MovieId.parse(id)));\n"
            "        return MAPPER.readTree(MAPPER.writeValueAsBytes(found));",
        ),
        (
            CODE + "MovieController.java",
            "    private final MovieService movies;",
            "    private static final tools.jackson.databind.json.JsonMapper MAPPER =\n"
            "            tools.jackson.databind.json.JsonMapper.builder()\n"
            "                    .disable(\n"
            "                            tools.jackson.databind.MapperFeature"
            ".SORT_PROPERTIES_ALPHABETICALLY)\n"
            "                    .build();\n\n    private final MovieService movies;",
        ),
    ),
}


def commit(name: str) -> str:
    """The hash of HEAD with this change."""
    return changed("HEAD", CHANGES[name], name)


def row(count: int, name: str, at: int) -> list[str]:
    """Hashes of so many commits after HEAD, one after the other: the `at`-th (from 1) has this change, the
    others a comment more each, so that every one of them is another build.
    """
    found = ["HEAD"]
    for n in range(1, count + 1):
        comment = (CODE + "MovieJson.java", "    static MovieJson of", f"    // {n}\n    static MovieJson of")
        edits = CHANGES[name] if n == at else (comment,)
        found.append(changed(found[-1], edits, name if n == at else f"a comment, {n}"))
    return found[1:]


def changed(parent: str, edits: tuple[Edit, ...], message: str) -> str:
    """The hash of a commit after `parent`."""
    with tempfile.TemporaryDirectory() as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git("read-tree", parent, env=index)
        contents: dict[str, str] = {}
        for file, there, instead in edits:
            text = contents.get(file) or git("show", f"{parent}:{file}", strip=False)
            if there not in text:
                raise SystemExit(f"{message}: {file} has no {there!r} any more")
            contents[file] = text.replace(there, instead, 1)
        for file, text in contents.items():
            blob = git("hash-object", "-w", "--stdin", given=text)
            git("update-index", "--cacheinfo", f"100644,{blob},{file}", env=index)
        tree = git("write-tree", env=index)
    # The same change of the same commit has the same hash, whenever it is made.
    when = git("show", "-s", "--format=%ct", "HEAD")
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "telar"), ("EMAIL", "telar@localhost"), ("DATE", f"{when} +0000"))
    }
    return git("commit-tree", tree, "-p", parent, "-m", message, env=who)


def git(*arguments: str, given: str = "", env: dict[str, str] | None = None, strip: bool = True) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **(env or {})},
    )
    return done.stdout.strip() if strip else done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--row", nargs=3, metavar=("COUNT", "CHANGE", "AT"))
    said = parser.parse_args()
    if said.row:
        count, name, at = said.row
        for n, each in enumerate(row(int(count), name, int(at)), start=1):
            print(f"{each}  {n}{' ' + name if n == int(at) else ''}")
        return
    for each in CHANGES:
        print(f"{commit(each)}  {each}")


if __name__ == "__main__":
    main()
