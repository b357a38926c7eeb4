"""Other tools' definitions of the score, reproduced to the last bit: one tool per module.

Each module has plain functions of the expected and the actual calls, with the tool's options as
keywords. Defects of a tool are reproduced, too, and listed in the docstring of the function.
"""

from importlib import import_module

TYPE_CHECKING = False  # type checkers take it for True; importing typing costs more

if TYPE_CHECKING:
    from callscore.parity import (
        agentevals,
        autoevals,
        azure,
        bfcl,
        deepeval,
        evalite,
        google_adk,
        mcpjam,
        mlflow,
        promptfoo,
        pydantic_evals,
        ragas,
        spring_ai_ragas,
        strands,
        tau2,
        tau_bench,
        tool_scorer,
        tpmjs,
        trajectly,
        vertex_ai,
    )

__all__ = [
    "agentevals",
    "autoevals",
    "azure",
    "bfcl",
    "deepeval",
    "evalite",
    "google_adk",
    "mcpjam",
    "mlflow",
    "promptfoo",
    "pydantic_evals",
    "ragas",
    "spring_ai_ragas",
    "strands",
    "tau2",
    "tau_bench",
    "tool_scorer",
    "tpmjs",
    "trajectly",
    "vertex_ai",
]

TOOLS = tuple(__all__)  # each is imported when it is first used


def __getattr__(name: str) -> object:
    if name not in TOOLS:
        raise AttributeError(f"module 'callscore.parity' has no attribute {name!r}")
    return import_module(f"callscore.parity.{name}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
