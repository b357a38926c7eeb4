"""Groups of commands: a mistyped command gets a suggestion, and help lists commands by task."""

from __future__ import annotations

import click

from callscore.core.suggestions import closest_word


class SuggestingGroup(click.Group):
    """A group that suggests the command with the closest spelling."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            closest = closest_word(name, self.list_commands(ctx))
            hint = "" if closest is None else f" Did you mean {closest!r}?"
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)
