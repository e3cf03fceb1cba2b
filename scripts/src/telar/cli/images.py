import click


@click.command()
def images() -> None:
    """To come."""
