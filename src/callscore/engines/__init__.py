"""Where the path from files to results runs: on this machine, on Arrow data, on Spark and Ray."""

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it for True; importing typing costs more than all below

if TYPE_CHECKING:
    from callscore.engines.batches import score_batches
    from callscore.engines.result_rows import row_schema
    from callscore.engines.row_totals import results_of, summary_of

__all__ = ["results_of", "row_schema", "score_batches", "summary_of"]

# A name is imported when it is first used: commands import modules of this folder, and few of them
# need these.
_HOMES = {
    "results_of": "row_totals",
    "row_schema": "result_rows",
    "score_batches": "batches",
    "summary_of": "row_totals",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'callscore.engines' has no attribute {name!r}")
    value: object = getattr(import_module(f"callscore.engines.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
