"""The ratios of a benchmark as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from nodealer.errors import BadParameter
from nodealer_lab.bench.rows import BenchRow


def refuse_without_matplotlib() -> None:
    """Raise `BadParameter` if matplotlib is missing, before minutes of measuring instead of after."""
    if find_spec("matplotlib") is None:
        raise BadParameter("a plot needs matplotlib: pip install matplotlib")


def draw(rows: Sequence[BenchRow], path: Path, title: str) -> None:
    """Draw a bar for each ratio that has a limit, with a mark at the limit."""
    import_module("matplotlib").use("Agg")
    plt = import_module("matplotlib.pyplot")
    judged = [(row, row.ratio, row.required) for row in rows if row.ratio is not None and row.required is not None]
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.3 * len(judged)))
    for place, (row, ratio, required) in enumerate(judged):
        axes.barh(place, ratio, color="tab:green" if row.ok else "tab:red")
        axes.plot([required, required], [place - 0.45, place + 0.45], color="black")
    axes.set_yticks(range(len(judged)), [_label(row) for row, _, _ in judged])
    axes.invert_yaxis()
    axes.set_xlabel("ratio to the yardstick (the black mark is what is required)")
    axes.set_title(title)
    figure.tight_layout()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise BadParameter(f"the plot cannot be written to {path}: {error}") from None
    finally:
        plt.close(figure)


def _label(row: BenchRow) -> str:
    """Return the label of a row in the plot: its name and its sizes."""
    return f"{row.name} ({', '.join(str(value) for value in row.n.values())})"
