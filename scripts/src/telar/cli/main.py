"""The `telar` command and its subcommands."""

from __future__ import annotations

import os
from pathlib import Path

import click

import telar as package
from telar.cli import (
    ab,
    attribute,
    bisect,
    build,
    calibrate,
    check,
    claims,
    comment,
    compact,
    crossover,
    detect,
    doctor,
    evaluate,
    images,
    lists,
    mcp,
    plan,
    publish,
    regressions,
    replay,
    report,
    run,
    sabotage,
    site,
    store,
    test,
    transfer,
    watchdog,
    why,
    workflow,
)
from telar.cli.common import GUEST


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 fine · 1 tests or a command failed · 2 configuration · 3 missing tool · 4 build · "
    "5 run · 6 environment · 7 store · 8 regression · 9 refused · 130 interrupted.",
)
@click.version_option(package.__version__, prog_name="telar")
@click.option(
    "--guest",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar=GUEST,
    metavar="FILE",
    help="Another repository's application: its variant.toml (docs/bring-your-own.md).",
)
def telar(guest: Path | None) -> None:
    """Continuous benchmarking for JVM web services: numbers that can be believed.

    \b
    A first answer:    ./telar run quickstart
    What can be run:   ./telar list
    Is all there:      ./telar doctor
    Your own service:  ./telar --guest ../shop/bench/variant.toml run
    """
    if guest:
        os.environ[GUEST] = str(guest.resolve())


for command in (
    doctor.doctor,
    lists.list_,
    claims.claims,
    crossover.crossover,
    plan.plan,
    build.build,
    images.images,
    run.run,
    ab.ab,
    why.why,
    attribute.attribute,
    bisect.bisect,
    detect.detect,
    detect.accept,
    evaluate.evaluate,
    calibrate.calibrate,
    publish.publish,
    compact.compact,
    site.site,
    site.serve,
    comment.comment,
    watchdog.watchdog,
    regressions.regressions,
    workflow.workflow,
    replay.replay,
    report.report,
    sabotage.sabotage,
    transfer.export,
    transfer.import_,
    check.check,
    mcp.mcp,
    store.store,
    test.test,
):
    telar.add_command(command)
