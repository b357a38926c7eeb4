"""The options that describe a sample: `--sample`, `--by` and `--seed`."""

from __future__ import annotations

import click

from callscore.cli.options import stacked

by_option = click.option(
    "--by",
    metavar="STRATA",
    help="Sample equally many cases per tool, per tag, or per value at a path such as $.metadata.model.",
)
seed_option = click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the random choices.",
)
sample_options = stacked(
    click.option(
        "--sample",
        type=click.IntRange(min=1),
        metavar="N",
        help="Score a random sample of N cases, and estimate the score of all of them.",
    ),
    by_option,
    seed_option,
)
