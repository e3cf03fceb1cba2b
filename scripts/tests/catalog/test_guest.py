"""Somebody else's application: one file makes a catalogue, and what is wrong in it is named."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import msgspec
import pytest

from telar.build import maven, sources
from telar.catalog.guest import with_guest
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.errors import BuildError, ConfigError, MissingToolError
from telar.plan.cells import Cell, Wishes, make_plan, warmup_guess
from telar.plan.pipeline import DAY, asked, touched
from telar.run import java
from telar.run.http.stack import without
from telar.run.load import guest_script, script_digest

ROOT = Path(__file__).parents[3]
VARIANT = """\
name = "shop"
framework = "spring"
description = "the shop"
pool = 10

[build]
maven = ".."
output = "target/shop-*.jar"
flags = ["-Pfast"]

[http]
ready = "/actuator/health"
metrics = "/actuator/prometheus"

[load]
script = "k6/load.ts"
rate = 200

[environment]
SERVER_PORT = "{port}"
SPRING_DATASOURCE_URL = "jdbc:mysql://127.0.0.1:{database_port}/movies"

[launch.platform]
jvm = ["-Dspring.threads.virtual.enabled=false"]
[launch.virtual]
jvm = ["-Dspring.threads.virtual.enabled=true"]
"""


@pytest.fixture(scope="module")
def telar() -> Catalog:
    return load(ROOT)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with an application and its variant.toml."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "pom.xml").write_text("<project/>")
    home = tmp_path / "shop"
    (home / "bench" / "k6").mkdir(parents=True)
    (home / "pom.xml").write_text("<project/>")
    (home / "bench" / "variant.toml").write_text(VARIANT)
    (home / "bench" / "k6" / "load.ts").write_text("export default function () {}\n")
    for command in (
        ["init", "--quiet"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "--quiet", "-m", "shop"],
    ):
        subprocess.run(["git", "-C", home, *command], check=True)
    return home / "bench" / "variant.toml"


def test_a_guest_takes_the_place_of_telars_own_systems(telar: Catalog, shop: Path) -> None:
    found = with_guest(telar, shop)
    assert list(found.variants) == ["shop-platform", "shop-virtual"]
    assert found.home == shop.parents[1]
    assert found.data == shop.parent
    assert found.data_of("shop") is None
    assert list(found.systems) == ["shop"]
    assert found.file.metric is telar.file.metric
    assert found.file.gate.flags.pool == 10
    assert {v.build_name for v in found.variants.values()} == {"shop"}
    plan = make_plan(found, Wishes(suite=found.file.defaults.suite, engine="embedded"))
    assert {run.cell.workload for run in plan.runs} == {"guest"}
    asked = plan.warmups["guest"]
    assert asked
    assert asked.requests is None
    windows = make_plan(found, Wishes(suite="pull-request", engine="embedded"))
    warmup = windows.warmups["guest-window"]
    assert warmup
    assert (warmup.rate, warmup.requests, warmup.each) == (1000, 60_000, 1)
    workload = found.workloads["guest"]
    assert workload.arrivals == 200 * 20
    assert workload.file.vus.pre_allocated == 480  # 200/s × 2 s, and a fifth


def test_a_guest_is_told_its_ports_in_its_own_words(telar: Catalog, shop: Path) -> None:
    variant = with_guest(telar, shop).variants["shop-platform"]
    told = java.environment(variant, http_port=1, metrics_port=2, database_port=3)
    assert told["SERVER_PORT"] == "1"
    assert told["SPRING_DATASOURCE_URL"] == "jdbc:mysql://127.0.0.1:3/movies"
    assert told["READY_PATH"] == "/actuator/health"
    assert told["JAVA_TOOL_OPTIONS"] == ""


def test_an_image_asks_a_guest_with_https_only_whether_it_listens(telar: Catalog, shop: Path) -> None:
    """Its question is bash's: there is no TLS in it."""
    text = shop.read_text().replace("[http]", "[http]\ntls = true")
    assert text != shop.read_text()
    shop.write_text(text)
    variant = with_guest(telar, shop).variants["shop-platform"]
    assert java.environment(variant, http_port=1, metrics_port=1, database_port=3)["READY_PATH"] == ""
    shop.write_text(text.replace("[environment]", '[environment]\nMANAGEMENT_SERVER_PORT = "{metrics_port}"'))
    variant = with_guest(telar, shop).variants["shop-platform"]
    given = java.environment(variant, http_port=1, metrics_port=2, database_port=3)
    assert given["READY_PATH"] == "/actuator/health"  # on a port of its own, in plain HTTP


@pytest.mark.parametrize(
    ("told", "instead", "said"),
    [
        ('framework = "spring"', 'framwork = "spring"', "did you mean 'framework'?"),
        ('maven = ".."', 'maven = "."', "there is no pom.xml"),
        ('maven = ".."', 'maven = "../../other"', "is not in"),
        ('"k6/load.ts"', '"k6/lode.ts"', "load.script = 'k6/lode.ts': no such file"),
        ('"k6/load.ts"', '"../load.ts"', "a relative path without .."),
        ('SERVER_PORT = "{port}"', 'SERVER_PORT = "8080"', "nothing tells the application its port"),
        ("pool = 10", 'database = "mysq"', "did you mean 'mysql'?"),
        ('name = "shop"', 'name = "Shop 1"', "small letters, digits and -"),
        ("rate = 200", "rate = 0", "load.rate"),
        ('maven = ".."', 'maven = ".."\nproject = ".."', "say one of maven and project"),
        ('maven = ".."', 'project = ".."', "project and command go together"),
        ('maven = ".."', 'project = "../nowhere"\ncommand = ["make"]', "there is no folder"),
        ('maven = ".."', 'project = ".."\ncommand = ["make"]', "build.flags: are Maven's"),
        ("pool = 10", 'data = { sql = ["a.sql"] }', "the database 'none' takes no scripts"),
        ("pool = 10", 'database = "mysql"\ndata = { sql = ["a.sql"] }', "'a.sql': no such file beside it"),
        ("pool = 10", "gate = { plan = { scaned_rows = 9 } }", "did you mean 'scanned_rows'?"),
        ("pool = 10", "gate = { plna = { scanned_rows = 9 } }", "did you mean 'plan'?"),
        ("pool = 10", "steady = { ceiling = 0 }", "steady"),
        ("pool = 10", 'memory = "lots"', "a size like 512m or 1g"),
        (
            "rate = 200",
            'rate = 200\nstage = [{ name = "a", from = 0, to = 0, duration = 5 }]',
            "no stage has an arrival",
        ),
    ],
)
def test_what_is_wrong_is_named(telar: Catalog, shop: Path, told: str, instead: str, said: str) -> None:
    assert told in VARIANT
    shop.write_text(VARIANT.replace(told, instead))
    with pytest.raises(ConfigError) as caught:
        with_guest(telar, shop)
    assert said in f"{caught.value.message} {caught.value.hint}"
    assert str(shop) in caught.value.message


def test_of_a_commit_the_guests_sources_are_taken_and_nothing_else(
    telar: Catalog, shop: Path, tmp_path: Path
) -> None:
    catalog = with_guest(telar, shop)
    catalog = msgspec.structs.replace(catalog, root=tmp_path / "telar")
    (cell, *_) = (run.cell for run in make_plan(catalog, Wishes(suite="guest", engine="embedded")).runs)
    head = subprocess.run(
        ["git", "-C", catalog.home, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    (catalog.home / "pom.xml").write_text("<project>changed</project>")
    then = sources.catalog_for(catalog, msgspec.structs.replace(cell, revision=head))
    assert (then.apps / "pom.xml").read_text() == "<project/>"
    assert then.variants[cell.variant].app.folder == then.apps
    assert maven.build_of(catalog, cell).maven == ("-Pfast",)


@pytest.mark.parametrize(
    ("script", "beside", "counts"),
    [
        ("export default function () {}\n", "README.md", False),
        ("export default function () {}\n", "other.ts", False),
        ("import { a } from './other.ts';\n", "other.ts", True),
        ("import a from './lib/deeper.js';\n", "lib/data.json", True),  # which deeper.js opens
        ("const all = JSON.parse(open('./lib/data.json'));\n", "lib/data.json", True),
        ("const all = open(`./data-${__ENV.SIZE}.csv`);\n", "data-2.csv", True),  # whatever lies there
        ("const all = open(`./data-${__ENV.SIZE}.csv`);\n", "README.md", False),
    ],
)
def test_a_guests_digest_is_of_what_its_script_takes_in(
    telar: Catalog, shop: Path, script: str, beside: str, counts: bool
) -> None:
    folder = shop.parent / "k6"
    (folder / "lib").mkdir()
    (folder / "lib" / "deeper.js").write_text("export default open('lib/data.json')\n")
    (folder / "load.ts").write_text(script)
    (folder / beside).write_text("[]\n")

    def digest() -> str:
        catalog = with_guest(telar, shop)
        return script_digest(catalog, catalog.workloads["guest"], catalog.workloads["guest"])

    before = digest()
    (folder / beside).write_text("[1]\n")
    assert (digest() != before) == counts
    (folder / "load.ts").write_text(f"{script}// more\n")
    assert digest() != before


def test_the_load_of_a_guest_is_no_part_of_its_artefact(telar: Catalog, shop: Path) -> None:
    folder = shop.parent / "k6"
    (folder / "load.ts").write_text("import { a } from './users.ts';\n")
    (folder / "users.ts").write_text("export const a = 1;\n")
    before = _key(telar, shop)
    for name in ("load.ts", "users.ts"):
        (folder / name).write_text("// another load\n")
        (folder / "load.ts").write_text("import { a } from './users.ts'; // and more\n")
        assert _key(telar, shop) == before
    shop.write_text(VARIANT.replace("rate = 200", "rate = 300"))
    assert _key(telar, shop) == before
    shop.write_text(VARIANT.replace('output = "target/shop-*.jar"', 'output = "target/shop.jar"'))
    assert _key(telar, shop) != before


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("src/main/java/shop/test/A.java", True),
        ("src/main/java/shop/target/A.java", True),
        ("src/main/resources/help.md", True),
        ("core/src/main/java/shop/test/A.java", True),
        ("core/src/main/resources/pom.xml", True),  # no module, if it looks like one
        ("core/src/main/resources/target/pom.xml", True),
        ("bench/compose.yaml", True),
        ("src/test/java/shop/ATest.java", False),
        ("core/src/test/java/shop/ATest.java", False),
        ("target/classes/A.class", False),
        ("core/target/core-1.jar", False),
        ("bench/node_modules/k6/index.d.ts", False),
        ("README.md", False),
        ("core/docs/index.md", False),
    ],
)
def test_a_guests_artefact_is_named_by_what_is_built(
    telar: Catalog, shop: Path, path: str, counts: bool
) -> None:
    home = shop.parents[1]
    (home / "core").mkdir()
    (home / "core" / "pom.xml").write_text("<project/>")
    before = _key(telar, shop)
    (home / path).parent.mkdir(parents=True, exist_ok=True)
    (home / path).write_text("new")
    assert (_key(telar, shop) != before) == counts


def test_what_lies_behind_a_link_is_built_and_counts(telar: Catalog, shop: Path) -> None:
    home = shop.parents[1]
    (home / "src" / "main").mkdir(parents=True)
    (home.parent / "shared").mkdir()
    (home / "src" / "main" / "resources").symlink_to(home.parent / "shared")
    before = _key(telar, shop)
    (home.parent / "shared" / "application.properties").write_text("a=b\n")
    assert _key(telar, shop) != before
    catalog = with_guest(telar, shop)
    maven._copied(maven.build_of(catalog, _cell(catalog)), home.parent / "copy")
    assert (home.parent / "copy" / "src" / "main" / "resources" / "application.properties").is_file()


def test_two_projects_of_one_repository_have_sources_of_their_own(
    telar: Catalog, shop: Path, tmp_path: Path
) -> None:
    home = shop.parents[1]
    (home / "second" / "bench" / "k6").mkdir(parents=True)
    (home / "second" / "pom.xml").write_text("<project>second</project>")
    (home / "second" / "bench" / "k6" / "load.ts").write_text("export default function () {}\n")
    second = home / "second" / "bench" / "variant.toml"
    second.write_text(VARIANT)
    git: list[str | Path] = ["git", "-C", home, "-c", "user.name=x", "-c", "user.email=x@example.invalid"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "two"], check=True)
    head = subprocess.run(
        [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    texts = []
    for file in (shop, second, shop):
        catalog = msgspec.structs.replace(with_guest(telar, file), root=tmp_path / "telar")
        then = sources.catalog_for(catalog, msgspec.structs.replace(_cell(catalog), revision=head))
        texts.append((then.apps / "pom.xml").read_text())
    assert texts == ["<project/>", "<project>second</project>", "<project/>"]


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch"])
def test_the_workflows_plan_a_guest_too(telar: Catalog, shop: Path, event: str) -> None:
    catalog = with_guest(telar, shop)
    for night in range(7):
        plan = asked(catalog, event, {}, "", night * DAY).plan
        assert {run.cell.variant for run in plan.runs} == {"shop-platform", "shop-virtual"}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("src/main/java/A.java", ("shop-platform", "shop-virtual")),
        ("README.md", ()),
        ("src/test/java/A.java", ()),
    ],
)
def test_a_change_of_a_guest_touches_its_launches(
    telar: Catalog, shop: Path, path: str, found: tuple[str, ...]
) -> None:
    assert touched(with_guest(telar, shop), "pull-request", [path]) == found


def _cell(catalog: Catalog) -> Cell:
    return make_plan(catalog, Wishes(suite="guest", engine="embedded")).runs[0].cell


def _key(telar: Catalog, shop: Path) -> str:
    catalog = with_guest(telar, shop)
    return maven.artifact_folder(catalog, maven.build_of(catalog, _cell(catalog))).name


def test_a_link_beside_a_script_brings_nothing_of_the_machine_into_a_run(
    telar: Catalog, shop: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("of the machine")
    (shop.parent / "k6" / "data.json").symlink_to(tmp_path / "secret")
    catalog = with_guest(telar, shop)
    (tmp_path / "run").mkdir()
    guest_script(catalog, catalog.workloads["guest"], tmp_path / "run", "/first")
    assert (tmp_path / "run" / "script" / "data.json").is_symlink()


def test_a_script_is_driven_from_the_runs_folder(telar: Catalog, shop: Path, tmp_path: Path) -> None:
    catalog = with_guest(telar, shop)
    script = guest_script(catalog, catalog.workloads["guest"], tmp_path, "/first")
    assert 'from "./script/load.ts"' in script.read_text()
    assert (tmp_path / "script" / "load.ts").is_file()


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        (["target/shop-1.jar"], ["app.jar"]),
        (["target/shop-1.jar", "target/shop-1-sources.jar"], "fits shop-1-sources.jar, shop-1.jar"),
        (["target/other.jar"], "the build left no target/shop-*.jar"),
    ],
)
def test_what_maven_left_is_taken(
    telar: Catalog, shop: Path, tmp_path: Path, files: list[str], kept: list[str] | str
) -> None:
    catalog = with_guest(telar, shop)
    (cell, *_) = (run.cell for run in make_plan(catalog, Wishes(suite="guest", engine="embedded")).runs)
    here, destination = tmp_path / "built", tmp_path / "run"
    destination.mkdir()
    for name in files:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_bytes(b"")
    if isinstance(kept, str):
        with pytest.raises(BuildError, match=kept.replace("*", r"\*")):
            maven._take(maven.build_of(catalog, cell), here, destination)
    else:
        maven._take(maven.build_of(catalog, cell), here, destination)
        assert [path.name for path in destination.iterdir()] == kept


def test_a_guest_has_budgets_of_its_own(telar: Catalog, shop: Path) -> None:
    text = shop.read_text()
    shop.write_text(f'{text}\n[[budget]]\nmetric = "statements"\nmost = 3\n')
    found = with_guest(telar, shop)
    assert [(b.metric, b.most) for b in found.budgets_of("")] == [("statements", 3)]
    shop.write_text(f'{text}\n[[budget]]\nmetric = "statments"\nmost = 3\n')
    with pytest.raises(ConfigError, match=r"variant\.toml: budget\.0\.metric = 'statments'") as caught:
        with_guest(telar, shop)
    assert "'statements'" in caught.value.hint


def test_a_guest_may_have_limits_and_endpoints_of_its_own(telar: Catalog, shop: Path) -> None:
    limits = "gate = { plan = { scanned_rows = 1200 } }\nendpoints = { list = 'GET /items' }\n"
    shop.write_text(limits + VARIANT)
    found = with_guest(telar, shop)
    cell = _cell(found)
    assert found.of(cell.system).file.gate.plan.scanned_rows == 1200
    assert found.of(cell.system).file.gate.flags.pool == 10
    assert found.file.gate.plan.scanned_rows == telar.file.gate.plan.scanned_rows
    assert found.systems["shop"].file.endpoints == {"list": "GET /items"}


def test_a_run_may_climb_in_stages_and_a_window_keeps_its_rate(telar: Catalog, shop: Path) -> None:
    stages = """
        [[load.stage]]
        name = "up"
        from = 0
        to = 400
        duration = 30
        [[load.stage]]
        name = "hold"
        from = 400
        to = 400
        duration = 60
    """
    shop.write_text(VARIANT.replace("[environment]", f"{stages}\n[environment]"))
    found = with_guest(telar, shop)
    run, window = found.workloads["guest"], found.workloads["guest-window"]
    assert [(s.name, s.from_, s.to, s.duration) for s in run.file.stage] == [
        ("up", 0, 400, 30),
        ("hold", 400, 400, 60),
    ]
    assert run.file.vus.pre_allocated == 960  # 400/s × 2 s, and a fifth
    assert [(s.name, s.duration) for s in window.file.stage] == [("hold-200", 8)]


def test_any_command_may_build_it_on_the_jdk_that_it_needs(
    telar: Catalog, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = shop.parents[1]
    (home / "settings.gradle").write_text("")
    (home / "build" / "libs").mkdir(parents=True)  # of an earlier build, perhaps of other sources
    (home / "build" / "libs" / "shop-0.jar").write_bytes(b"old")
    (home / "make.sh").write_text('mkdir -p build/libs && echo "$JAVA_HOME" >build/libs/shop-1.jar\n')
    build = 'project = ".."\ncommand = ["sh", "make.sh"]\njdk = "17"\noutput = "build/libs/shop-*.jar"\n'
    shop.write_text(re.sub(r"(?s)maven = .*?\n\n", f"{build}\n", VARIANT, count=1))
    jdk = tmp_path / "jdk-17"
    (jdk / "bin").mkdir(parents=True)
    for tool in ("java", "javac"):
        (jdk / "bin" / tool).touch()
    (jdk / "release").write_text('JAVA_VERSION="17.0.99"\n')
    monkeypatch.setenv("JAVA_HOME_17_X64", str(jdk))
    catalog = msgspec.structs.replace(with_guest(telar, shop), root=tmp_path / "telar")
    built = maven.build_of(catalog, _cell(catalog))
    folder = maven.ensure(catalog, built, maven.artifact_folder(catalog, built), lambda _: None)
    assert [path.name for path in folder.iterdir()] == ["app.jar"]
    assert (folder / "app.jar").read_text().strip() == str(jdk)
    before = maven.artifact_folder(catalog, built)
    (home / "build" / "libs" / "shop-0.jar").write_bytes(b"older")
    assert maven.artifact_folder(catalog, built) == before
    (home / "make.sh").write_text("exit 3\n")
    with pytest.raises(BuildError, match="shop doesn't build"):
        maven.ensure(catalog, built, maven.artifact_folder(catalog, built), lambda _: None)


def test_a_jdk_to_build_on_that_is_not_there_is_named(telar: Catalog, shop: Path, tmp_path: Path) -> None:
    shop.write_text(VARIANT.replace("[http]", 'jdk = "999"\n\n[http]'))
    catalog = msgspec.structs.replace(with_guest(telar, shop), root=tmp_path / "telar")
    built = maven.build_of(catalog, _cell(catalog))
    with pytest.raises(MissingToolError, match="jdk-999") as caught:
        maven.ensure(catalog, built, maven.artifact_folder(catalog, built), lambda _: None)
    assert "install a JDK 999" in caught.value.hint


def test_a_jar_that_is_there_needs_no_build(telar: Catalog, shop: Path, tmp_path: Path) -> None:
    text = re.sub(r"(?s)\[build\].*?\n\n", "", VARIANT, count=1)
    text = re.sub(r"(?s)\[launch\.platform\].*", "", text)
    shop.write_text(
        f'{text}\n[launch.old]\njar = "../dist/shop-1.jar"\n[launch.new]\njar = "../dist/shop-2.jar"\n'
    )
    catalog = msgspec.structs.replace(with_guest(telar, shop), root=tmp_path / "telar")
    cells = [run.cell for run in make_plan(catalog, Wishes(suite="guest", engine="embedded")).runs]
    with pytest.raises(ConfigError, match=r"launch\.old\.jar = '../dist/shop-1\.jar': there is no file"):
        maven.build_of(catalog, cells[0])
    (shop.parents[1] / "dist").mkdir()
    folders = []
    for n, cell in enumerate(cells, start=1):
        (shop.parents[1] / "dist" / f"shop-{n}.jar").write_bytes(b"jar %d" % n)
        built = maven.build_of(catalog, cell)
        folders.append(maven.ensure(catalog, built, maven.artifact_folder(catalog, built), lambda _: None))
    assert [(folder / "app.jar").read_bytes() for folder in folders] == [b"jar 1", b"jar 2"]
    assert [folder.name.rpartition("-")[0] for folder in folders] == ["shop-old", "shop-new"]
    # A commit has no such jar: both sides would be one and the same.
    with pytest.raises(ConfigError, match="shop-old runs a jar that is there already") as caught:
        sources.catalog_for(catalog, msgspec.structs.replace(cells[0], revision="0" * 40))
    assert "--base variant=" in caught.value.hint


def test_a_launch_without_build_and_jar_is_refused(telar: Catalog, shop: Path) -> None:
    shop.write_text(re.sub(r"(?s)\[build\].*?\n\n", "", VARIANT, count=1))
    with pytest.raises(ConfigError, match=r"launch\.platform: there is neither a \[build\] nor a jar"):
        with_guest(telar, shop)


def test_secrets_come_from_the_machine_and_stay_out_of_logs(
    telar: Catalog, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.write_text('secrets = ["SHOP_KEY"]\n' + VARIANT)
    variant = with_guest(telar, shop).variants["shop-platform"]
    monkeypatch.delenv("SHOP_KEY", raising=False)
    with pytest.raises(ConfigError, match="SHOP_KEY isn't set"):
        java.environment(variant, http_port=1, metrics_port=2, database_port=3)
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    assert java.environment(variant, http_port=1, metrics_port=2, database_port=3)["SHOP_KEY"] == "s3cret"
    assert without(java.secrets(variant), "the key s3cret is wrong") == "the key *** is wrong"


def test_a_warm_up_is_foreseen_by_what_an_arrival_asks(telar: Catalog, shop: Path) -> None:
    def seconds() -> float:
        catalog = with_guest(telar, shop)
        windows = make_plan(catalog, Wishes(suite="pull-request", engine="embedded"))
        return warmup_guess(catalog, windows.warmups["guest-window"])

    alone = seconds()
    shop.write_text(VARIANT.replace("rate = 200", "rate = 200\nrequests = 3"))
    assert seconds() == pytest.approx(alone / 3)
    shop.write_text(VARIANT.replace("rate = 200", "rate = 200\nwarmup_rate = 100"))  # as it says
    assert seconds() == pytest.approx(alone * 10)
