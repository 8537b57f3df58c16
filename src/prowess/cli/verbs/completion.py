"""`prowess completion`: words and files completed by the shell."""

from __future__ import annotations

import click

EXAMPLES = """\b
bash   echo 'eval "$(prowess completion bash)"' >> ~/.bashrc
zsh    echo 'eval "$(prowess completion zsh)"' >> ~/.zshrc
fish   prowess completion fish > ~/.config/fish/completions/prowess.fish
"""


@click.command("completion", epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    from prowess.cli.door import door
    from prowess.cli.output import put

    kind = get_completion_class(shell)
    assert kind is not None
    put(kind(door, {}, "prowess", "_PROWESS_COMPLETE").source())
