"""From changed lines to methods, by real classes: javac's, and javap's word on them."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from telar.build import methods
from telar.tools import components

SOURCE = """\
package shop;

import java.util.function.Supplier;

class Cart {
    private final int limit;

    Cart(int limit) {
        this.limit = limit;
    }

    int total(int[] prices) {
        int sum = 0;
        for (int price : prices) sum += price;
        return Math.min(sum, limit);
    }

    Supplier<String> later() {
        return () ->
            "later " + label(limit).length();
    }

    static <T extends Comparable<T>> T larger(T one, T other) throws IllegalStateException {
        return one.compareTo(other) > 0 ? one : other;
    }

    static class Line {
        String text() {
            return "line";
        }
    }

    private static String label(int n) {
        return String.valueOf(n);
    }
}
"""
PATH = "shop/src/main/java/shop/Cart.java"


@pytest.fixture(scope="module")
def javap() -> Path:
    jdk = components.find("jdk")
    assert jdk
    return jdk.path / "bin" / "javap"


@pytest.fixture(scope="module")
def jar(javap: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As Spring Boot packs it, and a class of the same name in another package."""
    folder = tmp_path_factory.mktemp("classes")
    for package in ("shop", "other"):
        file = folder / package / "Cart.java"
        file.parent.mkdir()
        file.write_text(SOURCE.replace("package shop;", f"package {package};"))
        subprocess.run([javap.with_name("javac"), "-d", folder / "out", file], check=True)
    jar = folder / "app.jar"
    with zipfile.ZipFile(jar, "w") as content:
        for found in sorted((folder / "out").rglob("*.class")):
            content.write(found, "BOOT-INF/classes/" + found.relative_to(folder / "out").as_posix())
    return jar


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ({9}, {"shop.Cart::<init>"}),
        ({14}, {"shop.Cart::total"}),
        ({14, 24}, {"shop.Cart::total", "shop.Cart::larger"}),
        ({20}, {"shop.Cart::later"}),  # in a lambda
        ({29}, {"shop.Cart$Line::text"}),
        ({1, 2, 3, 6}, set()),  # no code
    ],
)
def test_a_line_belongs_to_the_method_that_was_compiled_from_it(
    javap: Path, jar: Path, lines: set[int], found: set[str]
) -> None:
    assert methods.touched(javap, [jar], {PATH: frozenset(lines)}).changed == found


@pytest.mark.thorough
def test_a_class_of_the_same_name_elsewhere_is_another(javap: Path, jar: Path) -> None:
    other = {"shop/src/main/java/other/Cart.java": frozenset({14})}
    nothing = methods.Touched(frozenset(), frozenset())
    assert methods.touched(javap, [jar], other).changed == {"other.Cart::total"}
    assert methods.touched(javap, [jar], {"src/main/java/third/Cart.java": frozenset({14})}) == nothing
    assert methods.touched(javap, [jar.with_name("none.jar")], other) == nothing


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("lines", "called"),
    [
        ({9}, set()),
        ({14}, {"java.lang.Math::min"}),
        ({20}, {"shop.Cart::label", "java.lang.String::length"}),  # in a lambda, by the method that it is in
        ({20, 34}, {"java.lang.String::length", "java.lang.String::valueOf"}),  # changed itself
    ],
)
def test_what_a_changed_method_calls_is_known_too(
    javap: Path, jar: Path, lines: set[int], called: set[str]
) -> None:
    assert methods.touched(javap, [jar], {PATH: frozenset(lines)}).called == called
