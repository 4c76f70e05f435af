"""How studies and results show themselves in a notebook, without anything from the network."""
from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from gofh.errors import EmptyError, Error, MissingError
from gofh.results import Array, Result, Trial

if TYPE_CHECKING:
    from gofh.study import Study

_STYLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"
_CELL = "text-align:left;vertical-align:top;padding:2px 12px 2px 0"
_CURVE = (180, 36)
#: The report's blue is too dark for a dark notebook; this one is seen on both.
_LINE = "#3a87d4"


def _row(name: str, value: str) -> str:
    return f'<tr><th style="{_CELL};white-space:nowrap">{escape(name)}</th><td style="{_CELL}">{value}</td></tr>'


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
        f'<svg role="img" aria-label="the best f so far, from {best[0]:.4g} to {best[-1]:.4g} in {best.size} '
        f'evaluations" width="{width}" height="{height}"><polyline points="{points}" fill="none" stroke="{_LINE}" '
        'stroke-width="1.5"/></svg>'
    )


def _point(study: Study | None, x: Array) -> str:
    """Each value by its name, choices as their texts."""
    names = study.names if study is not None else [f"x{k}" for k in range(len(x))]
    kinds = study.kinds if study is not None else {}
    texts = [kinds[name].as_given(value) if name in kinds and value == value else value for name, value in zip(names, x)]
    return ", ".join(
        f"{escape(name)} = {escape(text) if isinstance(text, str) else f'{text:.6g}'}" for name, text in zip(names, texts)
    )


def _table(title: str, rows: list[str]) -> str:
    return f'<table style="{_STYLE}"><caption style="text-align:left">{escape(title)}</caption>{"".join(rows)}</table>'


def study_html(study: Study) -> str:
    """A small table: how many trials, the best, and how it came about; of a closed study, that it is closed."""
    try:
        trials = study.trials
    except Error as error:
        return _table(repr(study).strip("<>"), [_row("", escape(str(error)))])
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
        rows.append(_row("at", _point(study, best.x)))
    if curve := _curve(trials, study.sense):
        rows.append(_row("best so far", curve))
    return _table(f"gofh.Study: {len(study.names)} parameters, {sum(study.outputs.values())} outputs", rows)


def result_html(result: Result) -> str:
    """The fields of a result, and the best f so far."""
    study = result.study
    rows = [
        _row("message", escape(result.message)),
        _row("success", str(result.success)),
        _row("fun", f"{result.fun:.10g}"),
        _row("x", _point(study, result.x)),
        _row("nfev", f"{result.nfev}, {result.nfail} failed"),
    ]
    if curve := _curve(result.history, study.sense if study is not None else "minimize"):
        rows.append(_row("best so far", curve))
    return _table("gofh.Result", rows)


def posterior_html(title: str, rows: list[list[str]], lines: list[str]) -> str:
    """The table of a posterior, its head first, with what there is to say below."""
    cells = [
        f'<th style="{_CELL};white-space:nowrap">{escape(name)}</th>'
        + "".join(f'<{tag} style="{_CELL};text-align:right">{escape(text)}</{tag}>' for text in texts)
        for (name, *texts), tag in zip(rows, ["th"] + ["td"] * len(rows))
    ]
    words = [f'<td colspan="{len(rows[0])}" style="{_CELL}">{escape(line)}</td>' for line in lines]
    return _table(title, [f"<tr>{row}</tr>" for row in cells + words])


def to_dataframe(study: Study) -> Any:
    """All trials as a table of pandas, choices as texts and whole numbers as such."""
    try:
        import pandas
    except ImportError:
        raise MissingError("to_dataframe needs pandas: pip install pandas") from None
    trials = study.trials
    columns: dict[str, Any] = {
        "state": [t.state for t in trials],
        "origin": [t.origin for t in trials],
    }
    points = [study.named(t) for t in trials]
    for name in study.names:
        columns[name] = [point[name] for point in points]
    for j in range(sum(study.outputs.values())):
        columns[study.label(j)] = [math.nan if t.y is None else t.y[j] for t in trials]
    columns["f"] = [t.f for t in trials]
    columns["expected"] = [t.expected for t in trials]
    columns["reason"] = [t.reason for t in trials]
    return pandas.DataFrame(columns, index=pandas.Index([t.number for t in trials], name="trial"))
