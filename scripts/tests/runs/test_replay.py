"""A real run, really made again."""

from __future__ import annotations

import pytest

from .conftest import Checkout, printed

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(900)]


def test_a_run_is_made_again_as_its_record_says(checkout: Checkout) -> None:
    checkout.set("telar.toml", times=0)
    code, output = checkout.run("--only", "spring-mysql-blocking-virtual", "--seed", "7")
    assert code == 0, output
    (old,) = checkout.records()
    # Something that explains: the order of JVM flags stays, and one is added for every cell.
    checkout.edit(
        "telar.toml", '"-XX:+AlwaysPreTouch",', '"-XX:+AlwaysPreTouch", "-XX:+UseStringDeduplication",'
    )

    code, output = checkout.telar("replay", old.run_id[:6], "--data", str(checkout.data), "--json")
    assert code == 0, output
    found = printed(output)
    (new,) = (r for r in checkout.records() if r.session.endswith("-replay"))
    assert (found["old"], found["new"]) == (old.run_id, [new.run_id])
    assert (new.cell, new.planned, new.repetition) == (old.cell, old.planned, old.repetition)
    assert old.planned
    assert old.planned.seed == 7
    assert new.load
    assert old.load
    assert (new.load.seed, new.load.stages) == (old.load.seed, old.load.stages)
    assert new.load.requests == old.load.requests  # the same order of operations

    differing = {d["what"]: (d["old"], d["new"]) for d in found["differences"]}
    assert differing["java.command"] == ("–", "-XX:+UseStringDeduplication")
    assert differing["java.flags.UseStringDeduplication"] == ("false", "true")
    assert "artifact.digest" not in differing
    assert not any(what.startswith(("machine.", "database.", "java.class_path")) for what in differing)
    values = {m["metric"]: (m["old"], m["new"]) for m in found["metrics"]}
    for metric in ("p50", "app-cpu", "throughput"):
        assert values[metric] == (old.metrics[metric].value, new.metrics[metric].value)
        assert all(values[metric])
    assert checkout.left_behind() == []
