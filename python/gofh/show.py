"""How studies and results show themselves in a notebook, without anything from the network."""
from __future__ import annotations

import base64
import io
import math
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from gofh.errors import EmptyError, Error, MissingError
from gofh.results import Array, Result, Trial

if TYPE_CHECKING:
    from gofh.study import Study

_STYLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"
_CURVE = (180, 36)


def _row(name: str, value: str) -> str:
    return f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{value}</td></tr>'


def _best_so_far(trials: list[Trial], sense: str) -> Array:
    sign = 1.0 if sense == "minimize" else -1.0
    f = np.array([t.f for t in trials if t.state == "done" and math.isfinite(t.f)])
    return sign * np.minimum.accumulate(sign * f) if f.size else f


def _curve(trials: list[Trial], sense: str) -> str:
    """The best f so far as a line; "" where there is none."""
    best = _best_so_far(trials, sense)
    if best.size < 2 or best[0] == best[-1]:
        return ""
    low, high = float(best.min()), float(best.max())
    drawn = np.log(best) if low > 0 and high > 100 * low else best
    width, height = _CURVE
    x = np.linspace(2, width - 2, best.size)
    y = height - 3 - (drawn - drawn.min()) / (drawn.max() - drawn.min()) * (height - 6)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    return (
        f'<svg role="img" aria-label="the best f falls or rises from {best[0]:.4g} to {best[-1]:.4g} in {best.size} '
        f'evaluations" width="{width}" height="{height}"><polyline points="{points}" fill="none" stroke="#1f66b5" '
        'stroke-width="1.5"/></svg>'
    )


def _point(names: list[str], x: Array) -> str:
    return ", ".join(f"{escape(name)} = {value:.6g}" for name, value in zip(names, x))


def study_html(study: Study) -> str:
    """A small table: how many trials, the best, and how it came about."""
    trials = study.trials
    states = [t.state for t in trials]
    counts = ", ".join(f"{states.count(state)} {state}" for state in ("done", "failed", "open", "forgotten") if state in states)
    budget = study.settings["budget"]
    rows = [_row("trials", (counts or "none yet") + (f"; a budget of {budget}" if budget else ""))]
    try:
        best = study.best()
    except EmptyError:
        pass
    else:
        rows.append(_row("best f", f"{best.f:.10g} (trial {best.number})"))
        rows.append(_row("at", _point(study.names, best.x)))
    if curve := _curve(trials, study.sense):
        rows.append(_row("best so far", curve))
    title = escape(f"gofh.Study: {len(study.names)} parameters, {sum(study.outputs.values())} outputs")
    return f'<table style="{_STYLE}"><caption style="text-align:left">{title}</caption>{"".join(rows)}</table>'


def result_html(result: Result) -> str:
    """The fields of a result, and the best f so far."""
    study = result.study
    names = study.names if study is not None else [f"x{k}" for k in range(len(result.x))]
    rows = [
        _row("message", escape(result.message)),
        _row("success", str(result.success)),
        _row("fun", f"{result.fun:.10g}"),
        _row("x", _point(names, result.x)),
        _row("nfev", f"{result.nfev}, {result.nfail} failed"),
    ]
    if curve := _curve(result.history, study.sense if study is not None else "minimize"):
        rows.append(_row("best so far", curve))
    return f'<table style="{_STYLE}"><caption style="text-align:left">gofh.Result</caption>{"".join(rows)}</table>'


class Report:
    """The figures of a study as one page: it shows itself in a notebook, and save writes it."""

    def __init__(self, study: Study) -> None:
        try:
            from gofh import plot
        except ImportError:
            raise MissingError("a report needs matplotlib: pip install matplotlib") from None
        self._parts = [("", study_html(study))]
        for title, draw in plot.FIGURES.items():
            try:
                figure = draw(study)
            except (Error, ValueError) as reason:
                if not isinstance(reason, plot.NothingToDraw):
                    self._parts.append((title, f"<p>not drawn: {escape(str(reason))}</p>"))
                continue
            self._parts.append((title, _picture(figure, title)))
        if lines := study.log:
            self._parts.append(("log", "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"))

    def _repr_html_(self) -> str:
        return "".join((f"<h3>{escape(title)}</h3>" if title else "") + part for title, part in self._parts)

    def save(self, path: Any) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write('<!doctype html><html lang="en"><meta charset="utf-8"><title>gofh: a study</title>'
                       '<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}'
                       f"img{{max-width:100%}}</style><body>{self._repr_html_()}</body></html>\n")

    def __repr__(self) -> str:
        return f"<gofh report: {', '.join(title for title, _ in self._parts if title)}>"


def _picture(figure: Any, title: str) -> str:
    from matplotlib import pyplot

    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=110)
    pyplot.close(figure)
    encoded = base64.b64encode(image.getvalue()).decode()
    return f'<img alt="{escape(title)}" src="data:image/png;base64,{encoded}" style="max-width:100%">'


def to_dataframe(study: Study) -> Any:
    """All trials as a table of pandas."""
    try:
        import pandas
    except ImportError:
        raise MissingError("to_dataframe needs pandas: pip install pandas") from None
    trials = study.trials
    columns: dict[str, Any] = {
        "state": [t.state for t in trials],
        "origin": [t.origin for t in trials],
    }
    for k, name in enumerate(study.names):
        columns[name] = [t.x[k] for t in trials]
    for j in range(sum(study.outputs.values())):
        columns[study.label(j)] = [math.nan if t.y is None else t.y[j] for t in trials]
    columns["f"] = [t.f for t in trials]
    columns["expected"] = [t.expected for t in trials]
    columns["reason"] = [t.reason for t in trials]
    return pandas.DataFrame(columns, index=pandas.Index([t.number for t in trials], name="trial"))
