"""async-profiler, which says where a JVM's processor time goes, and its converter, which draws that."""

from __future__ import annotations

import platform
import shutil
import tempfile
from pathlib import Path

from telar.errors import MissingToolError
from telar.tools.components import archive, maven
from telar.tools.components.base import Recipe, Say, cached, install_cached

VERSION = "4.6"
ARTIFACT = f"tools.profiler:async-profiler:{VERSION}"
SHA256 = "a5d3d9f4582c2033fa9db518046e73ef97219801f3e7542b82e3e09261ebe493"
LIBRARY = "libasyncProfiler.so"
# Folders of the artefact, by what the kernel calls the processor.
FOLDERS = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}

CONVERTER_VERSION = "4.5"
CONVERTER = f"tools.profiler:jfr-converter:{CONVERTER_VERSION}"
CONVERTER_SHA256 = "d8a5452b26adb11a2a0abf0c53799a6fd60dbccb0647efa5a734e3c46ced3df4"
CONVERTER_JAR = "jfr-converter.jar"


def install(say: Say) -> None:
    if platform.machine() not in FOLDERS:
        raise MissingToolError(f"there's no async-profiler for {platform.machine()}")

    def fill(folder: Path) -> None:
        say(f"fetching async-profiler {VERSION} through Maven (1 MB)")
        with tempfile.TemporaryDirectory() as scratch:
            jar = maven.fetch(ARTIFACT, Path(scratch), SHA256)
            archive.unpack(jar, folder, below=FOLDERS[platform.machine()])

    install_cached("async-profiler", VERSION, fill)


def install_converter(say: Say) -> None:
    def fill(folder: Path) -> None:
        say(f"fetching jfr-converter {CONVERTER_VERSION} through Maven")
        with tempfile.TemporaryDirectory() as scratch:
            jar = maven.fetch(CONVERTER, Path(scratch), CONVERTER_SHA256)
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(jar, folder / CONVERTER_JAR)

    install_cached("jfr-converter", CONVERTER_VERSION, fill)


RECIPES = (
    Recipe(
        name="async-profiler",
        purpose="says which methods a comparison's two sides differ in",
        remedy="let Maven reach a repository, or leave --why out",
        find=lambda: cached("async-profiler", VERSION, LIBRARY),
        install=install,
    ),
    Recipe(
        name="jfr-converter",
        purpose="draws the flame graph of a comparison's two sides",
        remedy="let Maven reach a repository, or leave --why out",
        find=lambda: cached("jfr-converter", CONVERTER_VERSION, CONVERTER_JAR),
        install=install_converter,
    ),
)
