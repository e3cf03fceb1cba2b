"""The tools and servers that Telar uses: found on this machine, or set up in its cache.

To add one: a file here with a `Recipe`, and its place in the table below. Java runtimes aren't in it: the
catalogue says which there are (catalog/jvm.py).
"""

from __future__ import annotations

from telar.errors import MissingToolError, TelarError
from telar.tools.components import (
    actionlint,
    ferretdb,
    golang,
    java,
    k6,
    mariadb,
    maven,
    others,
    postgresql,
    profiler,
)
from telar.tools.components.base import Component, Recipe, Say

__all__ = ["Component", "Recipe", "describe", "ensure", "find", "names", "set_up"]

_RECIPES = {
    recipe.name: recipe
    for recipe in (
        java.JDK,
        maven.RECIPE,
        k6.RECIPE,
        mariadb.RECIPE,
        postgresql.RECIPE,
        ferretdb.RECIPE,
        golang.RECIPE,
        actionlint.RECIPE,
        *profiler.RECIPES,
        *others.RECIPES,
    )
}


def names() -> list[str]:
    return list(_RECIPES)


def describe(name: str) -> Recipe:
    """Its `purpose`, and its `remedy` when missing; `install` is None where Telar can't help."""
    return _RECIPES[name]


def find(name: str) -> Component | None:
    """The component as this machine has it, without reaching for the network."""
    return _RECIPES[name].find()


def ensure(name: str, say: Say) -> Component:
    """The component, set up first where it's missing; raises MissingToolError saying what to do.

    Safe in threads and beside other Telars: whoever comes second waits and uses the first one's.
    """
    if name not in _RECIPES:
        raise MissingToolError(f"Telar has no recipe for {name}", hint="add it in tools/components")
    return set_up(_RECIPES[name], say)


def set_up(recipe: Recipe, say: Say) -> Component:
    """The same of a recipe that is in no table."""
    name, found = recipe.name, recipe.find()
    if found:
        return found
    if recipe.install is None:
        raise MissingToolError(f"no {name}, which {recipe.purpose}", hint=recipe.remedy)
    try:
        recipe.install(say)
    except TelarError as error:
        message = f"{name}, which {recipe.purpose}, couldn't be set up: {error.message}"
        raise MissingToolError(message, hint=error.hint or recipe.remedy) from error
    found = recipe.find()
    assert found, f"{name} was set up and isn't there"
    return found
