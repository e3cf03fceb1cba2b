import click


@click.command()
def test() -> None:
    """To come."""
