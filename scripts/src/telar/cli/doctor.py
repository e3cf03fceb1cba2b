import click


@click.command()
def doctor() -> None:
    """To come."""
