"""What makes a load: the digest in a record is of the files that its script takes in, and of its plan."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from telar.analyse.points import points_of
from telar.analyse.tracking import Tracked, track
from telar.catalog import scripts
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.run.load import plan_for, script_digest
from telar.store.record import Generator
from telar.tools import components

from ..store.records import record

ROOT = Path(__file__).parents[3]
WARM = "movies-constant"
OWN = set(load(ROOT).workloads)


class Checkout:
    """With a k6/ of its own, in which one workload more has a script of another kind."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "compose").symlink_to(ROOT / "compose")
        # Not a link: a script is where it really is, and what it takes in lies beside it.
        shutil.copytree(ROOT / "apps", root / "apps", ignore=shutil.ignore_patterns("target"))
        shutil.copy(ROOT / "telar.toml", root)
        shutil.copytree(ROOT / "k6", root / "k6", ignore=shutil.ignore_patterns("node_modules"))
        own = root / "k6" / "workloads" / "movies-own"
        own.mkdir()
        shutil.copy(ROOT / "k6" / "workloads" / "movies-short" / "workload.toml", own)
        (own / "script.ts").write_text("export * from '../../scenarios/own.ts';\n")
        (root / "k6" / "scenarios" / "own.ts").write_text(
            "import { helper } from './own-helper.ts';\nconst users = JSON.parse(open('./users.json'));\n"
        )
        # Two that import each other.
        (root / "k6" / "scenarios" / "own-helper.ts").write_text("import * as own from './own.ts';\n")
        (root / "k6" / "scenarios" / "users.json").write_text("[]")

    @property
    def catalog(self) -> Catalog:
        return load(self.root)

    def digests(self) -> dict[str, str]:
        c = self.catalog
        return {name: script_digest(c, w, c.workloads[WARM]) for name, w in c.workloads.items()}

    def append(self, path: str, text: str) -> None:
        with (self.root / "k6" / path).open("a", encoding="utf-8") as file:
            file.write(text)

    def replace(self, path: str, old: str, new: str) -> None:
        file = self.root / "k6" / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "checkout"
    root.mkdir()
    return Checkout(root)


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of a checkout in which nothing was changed."""
    return Checkout(tmp_path_factory.mktemp("unchanged")).digests()


EVERY = {*OWN, "movies-own"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("README.md", set()),
        ("package.json", set()),
        ("unit/main.ts", set()),
        ("faults/unknown-ids.ts", set()),
        ("scenarios/guest.ts", set()),
        ("lib/mix.ts", EVERY),  # the warm-up's script is of every run
        ("api/sample.ts", EVERY),
        ("workloads/movies-short/script.ts", {"movies-short"}),
        (f"workloads/{WARM}/script.ts", EVERY),
        ("scenarios/own.ts", {"movies-own"}),
        ("scenarios/own-helper.ts", {"movies-own"}),
        ("scenarios/users.json", {"movies-own"}),
    ],
)
def test_an_edit_changes_the_loads_that_take_the_file_in(
    checkout: Checkout, digests: dict[str, str], path: str, changed: set[str]
) -> None:
    checkout.append(path, "\n")
    after = checkout.digests()
    assert after.keys() == digests.keys()
    assert {name for name in after if after[name] != digests[name]} == changed


@pytest.mark.thorough
def test_a_plan_is_part_of_its_load_and_a_description_is_not(checkout: Checkout) -> None:
    before = checkout.digests()
    checkout.replace("workloads/movies-short/workload.toml", 'description = "', 'description = "once more: ')
    assert checkout.digests() == before
    checkout.replace("workloads/movies-short/workload.toml", "get = 70\nlist = 20", "get = 69\nlist = 21")
    after = checkout.digests()
    assert {name for name in after if after[name] != before[name]} == {"movies-short"}
    # Of a warm-up the mix is the file's; the stages are the suite's.
    checkout.replace(
        f"workloads/{WARM}/workload.toml",
        "[[stage]]",
        '[[stage]]\nname = "z"\nduration = 1\nfrom = 1\nto = 1\n[[stage]]',
    )
    then = checkout.digests()
    assert {name for name in then if then[name] != after[name]} == {WARM}


def history(checkout: Checkout, edit: Callable[[], None]) -> Tracked:
    """A series of two sessions, with an edit in k6/ between them."""
    points = []
    for day in (1, 2):
        c = checkout.catalog
        digest = script_digest(c, c.workloads["movies-short"], c.workloads[WARM])
        made = record(session=f"2026110{day}-060000-smoke", finished=1.8e9 + day * 86_400, validity="valid")
        own = msgspec.structs.replace(
            made.provenance, generator=Generator(version="2.2.0", script_digest=digest)
        )
        points += points_of(c, [msgspec.structs.replace(made, provenance=own)])
        edit()
    return track([point for point in points if point.metric == "p50"])


def test_a_line_more_in_the_readme_begins_no_series_again(checkout: Checkout) -> None:
    assert history(checkout, lambda: checkout.append("README.md", "One line.\n")).environments == 1
    assert history(checkout, lambda: checkout.append("lib/mix.ts", "// one line\n")).environments == 2


def test_telars_own_scripts_compute_no_name_of_a_file_but_the_plans() -> None:
    """Or an edit of that file would change a load in silence."""
    code = [p for p in (ROOT / "k6").rglob("*.ts") if "node_modules" not in p.parts]
    assert [p.relative_to(ROOT).as_posix() for p in code if not scripts.is_readable([p])] == [
        "k6/lib/plan.ts"
    ]
    assert (ROOT / "k6" / "lib" / "plan.ts").read_text().count("open(") == 1


@pytest.mark.embedded
@pytest.mark.parametrize("name", sorted(EVERY))
def test_what_k6_itself_takes_in_is_what_the_digest_is_of(
    checkout: Checkout, tmp_path: Path, name: str
) -> None:
    workload = checkout.catalog.workloads[name]
    entry = workload.folder / workload.file.script
    (tmp_path / "plan.json").write_bytes(plan_for(workload, 1))
    k6 = components.ensure("k6", print)
    if name == "movies-own":  # which exports nothing to be run
        (checkout.root / "k6" / "scenarios" / "own-helper.ts").write_text("export const helper = 1;\n")
        checkout.append("scenarios/own.ts", "export default () => helper + users.length;\n")
        entry.write_text("export { default } from '../../scenarios/own.ts';\n")
    archive = tmp_path / "archive.tar"
    subprocess.run(
        [k6.path, "archive", "--quiet", "--include-system-env-vars", "--archive-out", archive, entry],
        check=True,
        env={"TELAR_PLAN": str(tmp_path / "plan.json"), "TELAR_BASE_URL": "http://127.0.0.1:1"},
    )  # fmt: skip
    k6_folder = checkout.root / "k6"
    # A system's own script lies in its folder.
    below = k6_folder if entry.is_relative_to(k6_folder) else checkout.root
    with tarfile.open(archive) as tar:
        taken = {"/" + m.name.partition("/")[2] for m in tar if m.isfile() and m.name.startswith("file/")}
    ours = {path for path in taken if path.startswith(f"{below}/")}
    inside = ours | {entry.as_posix()}  # kept apart as `data`
    assert len(inside) > 3
    assert inside == {path.as_posix() for path in scripts.files(entry, below)}
