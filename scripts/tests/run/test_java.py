"""How a JVM is launched, and what it says of itself. The log is the beginning and end of a JDK 25's."""

from __future__ import annotations

from pathlib import Path

import msgspec

from telar.catalog.load import load
from telar.run import java

CATALOG = load(Path(__file__).parents[3])
LOG = """\
NOTE: Picked up JDK_JAVA_OPTIONS: 
Picked up JAVA_TOOL_OPTIONS: 
[Global flags]
    ccstr AOTCache                                 =                                           {product} {default}
      int ActiveProcessorCount                     = 2                                         {product} {command line}
     intx CICompilerCount                          = 2                                         {product} {ergonomic}
   double CompileThresholdScaling                  = 1.000000                                  {product} {default}
   size_t MaxHeapSize                              = 524288000                                 {product} {command line}
     bool UseG1GC                                  = true                                      {product} {command line}
openjdk version "25.0.3" 2026-04-21 LTS
OpenJDK Runtime Environment Temurin-25.0.3+9 (build 25.0.3+9-LTS)
OpenJDK 64-Bit Server VM Temurin-25.0.3+9 (build 25.0.3+9-LTS, mixed mode, sharing)
Error: something = {of the app's own}
"""  # noqa: E501, W291 - as it is printed


def test_a_jvms_version_and_vendor_are_what_it_prints() -> None:
    assert java.version(LOG) == "25.0.3"
    assert java.vendor(LOG) == "OpenJDK Runtime Environment Temurin-25.0.3+9 (build 25.0.3+9-LTS)"
    assert (java.version("it died at once"), java.vendor("it died at once")) == ("", "")


def test_flags_that_move_numbers_are_kept_whatever_their_value_came_from() -> None:
    said = LOG.replace(
        "openjdk version",
        "     bool UseCompactObjectHeaders                  = false    {product lp64_product} {default}\n"
        "   double MaxRAMPercentage                         = 25.000000     {product} {default}\n"
        "    ccstr StartFlightRecording                     = name=telar     {product} {command line}\n"
        "    ccstr ErrorFile                      = /runs/001/hs_err.log     {product} {command line}\n"
        "openjdk version",
        1,
    )
    more = {"UseCompactObjectHeaders": "false", "MaxRAMPercentage": "25.000000"}
    assert java.flags(said) == java.flags(LOG) | more  # and none that names the run's folder


def test_flags_are_those_that_are_not_the_default() -> None:
    assert java.flags(LOG) == {
        "ActiveProcessorCount": "2",
        "CICompilerCount": "2",
        "MaxHeapSize": "524288000",
        "UseG1GC": "true",
    }


def test_options_from_the_environment_are_those_that_the_jvm_says_it_picked_up() -> None:
    assert java.picked_up(LOG) == ()  # the empty ones are Telar's own
    told = LOG.replace("JAVA_TOOL_OPTIONS: ", "JAVA_TOOL_OPTIONS: -XX:TieredStopAtLevel=1 -Da=b")
    assert java.picked_up(told) == ("JAVA_TOOL_OPTIONS: -XX:TieredStopAtLevel=1 -Da=b",)
    assert java.picked_up(told.replace("JDK_JAVA_OPTIONS: ", "JDK_JAVA_OPTIONS: -Xint")) == (
        "JDK_JAVA_OPTIONS: -Xint",
        "JAVA_TOOL_OPTIONS: -XX:TieredStopAtLevel=1 -Da=b",
    )


def test_what_a_person_sees_of_a_log_is_without_the_table_of_flags() -> None:
    lines = java.without_preamble(LOG).splitlines()
    assert len(lines) == 6
    assert lines[-1] == "Error: something = {of the app's own}"


def test_every_cell_has_the_same_flags_and_its_launchs_own() -> None:
    folder = Path("/runs/001")
    arguments = {
        launch: java.arguments(
            CATALOG, CATALOG.variants[f"spring-mysql-blocking-{launch}"], ("-Xss2m",), folder, "/apps/app.jar"
        )
        for launch in ("platform", "virtual")
    }
    for launch, made in arguments.items():
        assert set(CATALOG.file.jvm.flags) < set(made)
        assert f"-Dspring.threads.virtual.enabled={str(launch == 'virtual').lower()}" in made
        assert "-Xlog:gc:file=/runs/001/gc.log:timemillis" in made
        assert "-XX:ErrorFile=/runs/001/hs_err.log" in made
        assert any(a.startswith("-XX:StartFlightRecording=") and "/runs/001/" in a for a in made)
        assert made[-3:] == ["-Xss2m", "-jar", "/apps/app.jar"]
    assert len(set(arguments["platform"]) ^ set(arguments["virtual"])) == 2


def test_a_cells_own_collector_takes_the_place_of_the_others() -> None:
    variant = CATALOG.variants["spring-mysql-blocking-virtual"]
    own = ("-XX:+UseZGC", "-Xss2m")
    made = java.arguments(CATALOG, variant, own, Path("/runs/001"), "/apps/app.jar")
    assert [a for a in made if a.startswith("-XX:+Use")] == ["-XX:+UseZGC"]  # a JVM refuses two
    assert set(CATALOG.file.jvm.flags) - set(made) == {"-XX:+UseG1GC"}
    same = java.arguments(CATALOG, variant, ("-XX:+UseG1GC",), Path("/runs/001"), "/apps/app.jar")
    assert set(same) == set(java.arguments(CATALOG, variant, (), Path("/runs/001"), "/apps/app.jar"))


def test_the_machines_own_java_options_do_not_reach_the_app() -> None:
    environment = java.environment(
        CATALOG.variants["spring-mysql-blocking-virtual"], http_port=1, metrics_port=2, database_port=3
    )
    assert environment["JAVA_TOOL_OPTIONS"] == environment["JDK_JAVA_OPTIONS"] == ""
    assert (environment["HTTP_PORT"], environment["METRICS_PORT"], environment["DB_PORT"]) == ("1", "2", "3")


def test_a_jvm_without_flight_recorder_can_be_spared_it() -> None:
    jvm = msgspec.structs.replace(CATALOG.file.jvm, recording=False)
    without = msgspec.structs.replace(CATALOG, file=msgspec.structs.replace(CATALOG.file, jvm=jvm))
    variant = CATALOG.variants["spring-mysql-blocking-virtual"]
    made, usual = (
        java.arguments(c, variant, (), Path("/runs/001"), "/apps/app.jar") for c in (without, CATALOG)
    )
    assert {a.partition("=")[0] for a in set(usual) - set(made)} == {
        "-XX:StartFlightRecording",
        "-XX:FlightRecorderOptions",
    }


def test_an_archive_is_written_by_a_start_before_the_one_that_uses_it(tmp_path: Path) -> None:
    variant = CATALOG.variants["spring-mysql-blocking-virtual"]
    for flags, writes in (
        (("-XX:SharedArchiveFile=app.jsa", "-Xshare:on"), "-XX:ArchiveClassesAtExit="),
        (("-XX:AOTCache=app.aot", "-XX:AOTMode=on"), "-XX:AOTCacheOutput="),
    ):
        use, name = flags[0].split("=")
        first = java.archiving(CATALOG, variant, flags, tmp_path, "app.jar")
        assert f"-XX:ErrorFile={tmp_path}/hs_err.log" in first
        assert f"{writes}{tmp_path}/{name}" in first
        assert not {*flags, "-showversion"} & {*first}  # nor its logs: the measured start has those
        measured = java.arguments(CATALOG, variant, flags, tmp_path, "app.jar")
        assert f"{use}={tmp_path}/{name}" in measured
        assert flags[1] in measured
        assert not any(option.startswith(writes) for option in measured)
        alike = [[o for o in each if o.startswith(("-Xm", "-D", "-XX:+Use"))] for each in (first, measured)]
        assert alike[0] == alike[1]  # or the JVM refuses the archive
