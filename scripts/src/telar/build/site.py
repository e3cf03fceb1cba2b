"""The pages: shipped as built in site/built/, built again with Node.js where site/ was changed since."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import msgspec

from telar.errors import MissingToolError
from telar.tools import components, shell

INPUTS = ("site", "benchmarks-data/schema")
SHIPPED, MADE_OF = "site/built", "made-of.txt"  # the built pages, and the digest of what they were made of
# At the top of site/ only: below, a folder may be called so. None of them changes what is built.
SKIPPED = {"node_modules", "dist", "tests", "built", "README.md", "biome.json"}
KEPT, FOLDERS = "index.html", ("assets",)  # what the pages are, beside data/


def build(root: Path, say: Callable[[str], None]) -> Path:
    """The folder with the built pages: those that are shipped, as long as they are of this site/.

    Raises MissingToolError when they aren't and there is no Node.js, CommandError when the build fails.
    """
    digest = digest_of_inputs(root)
    if shipped(root) == digest:
        return root / SHIPPED
    folder = root / ".telar" / "site" / digest
    if not (folder / KEPT).exists():
        make(root, folder, say)
    return folder


def shipped(root: Path) -> str:
    """The digest of what the shipped pages were made of; empty where none are shipped."""
    path = root / SHIPPED / MADE_OF
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def ship(root: Path, say: Callable[[str], None]) -> Path:
    """Builds the pages into site/built/, which is committed."""
    folder = root / SHIPPED
    make(root, folder, say)
    (folder / MADE_OF).write_text(digest_of_inputs(root) + "\n", encoding="utf-8")
    return folder


def make(root: Path, folder: Path, say: Callable[[str], None]) -> None:
    """Builds the pages into a folder, in place of what is there. Raises as `build` does."""
    if components.find("node") is None or shutil.which("npm") is None:
        raise MissingToolError(
            "site/ was changed, and no Node.js with npm is on PATH, which builds the pages",
            hint="Debian: apt install npm; without changes of site/ the pages of site/built/ are taken",
        )
    say("building the pages")
    site, log = root / "site", root / ".telar" / "logs" / "site.log"
    install(site, log)
    shell.run(["npm", "run", "--silent", "build"], cwd=site, log=log)
    aside = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(site / "dist", aside)
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)


def install(site: Path, log: Path) -> None:
    """What package-lock.json says, when it isn't there."""
    lock, installed = site / "package-lock.json", site / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        own_modules(site)
        shell.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=site, log=log)


def own_modules(folder: Path) -> None:
    """npm empties node_modules before it installs, and follows a link there. So a link goes first."""
    modules = folder / "node_modules"
    if modules.is_symlink():
        modules.unlink()


def into(built: Path, folder: Path) -> None:
    """The pages into a folder, beside the data that may be there; what older pages left there goes."""
    for name in FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(built, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(MADE_OF))


def in_one(built: Path, data: Path) -> bytes:
    """The pages and a published store's data as one file that makes no request.

    The policy lets this file's own script and style run, by their digests, and nothing else.
    """
    page = (built / KEPT).read_text(encoding="utf-8")
    policy, script, style = (_only(pattern, page) for pattern in (_POLICY, _SCRIPT, _STYLE))
    code = (built / script[1]).read_text(encoding="utf-8").replace("</script", "<\\/script")
    css = (built / style[1]).read_text(encoding="utf-8")
    files = {quote(str(p.relative_to(data))): p.read_text("utf-8") for p in sorted(data.rglob("*.json"))}
    packed = sorted(data.rglob("*.json.gz"))
    files |= {
        quote(str(p.relative_to(data).with_suffix(""))): gzip.decompress(p.read_bytes()).decode()
        for p in packed
    }
    enclosed = msgspec.json.encode(files).decode().replace("<", "\\u003c")
    rules = (
        f"default-src 'none'; script-src {_digest_of(code)}; style-src {_digest_of(css)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        policy[0]: policy[0].replace(policy[1], rules),
        script[0]: "",
        style[0]: f"<style>{css}</style>",
        # At the end: a script in place runs where it stands, and needs what is above it.
        "</body>": f'<script type="application/json" id="data">{enclosed}</script>'
        f'<script type="module">{code}</script></body>',
    }
    for before, after in parts.items():
        page = page.replace(before, after, 1)
    return page.encode()


_POLICY = re.compile(r"""<meta[^>]*Content-Security-Policy[^>]*content="([^"]*)"[^>]*>""", re.DOTALL)
_SCRIPT = re.compile(r"""<script type="module"[^>]*src="\./([^"]+)"></script>""")
_STYLE = re.compile(r"""<link rel="stylesheet"[^>]*href="\./([^"]+)">""")


def _only(pattern: re.Pattern[str], page: str) -> re.Match[str]:
    found = list(pattern.finditer(page))
    assert len(found) == 1, f"site/ builds one script, one style, one policy: {pattern.pattern}"
    return found[0]


def _digest_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def listing(folder: Path) -> dict[str, bytes]:
    """The pages' files in a folder: name -> content."""
    files = [folder / KEPT, *(path for name in FOLDERS for path in (folder / name).rglob("*"))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(files) if path.is_file()}


def digest_of_inputs(root: Path) -> str:
    found = hashlib.sha256()
    for name in INPUTS:
        for top in sorted((root / name).iterdir()):  # of what is skipped there may be thousands
            if top.name in SKIPPED:
                continue
            for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
                if path.is_file():
                    found.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
                    found.update(path.read_bytes())
    return found.hexdigest()[:16]
