"""A generator of gest-api (``suggest`` and ``ingest``), so that libEnsemble, Optimas and Xopt can drive a study.

>>> from types import SimpleNamespace as Vocs  # gest_api.vocs.VOCS, where that is installed
>>> vocs = Vocs(variables={"a": Vocs(domain=[0.0, 2.0])}, objectives={"f": "MINIMIZE"}, constraints={}, constants={},
...             observables={"v": None, "w": None})
>>> generator = Generator(vocs, "v^2 + w^2", budget=12)
>>> for _ in range(12):
...     points = generator.suggest(1)
...     generator.ingest([{**p, "v": p["a"] - 1, "w": 0.1 * p["a"]} for p in points])
>>> bool(abs(generator.study.best().x[0] - 0.99) < 0.01)
True
"""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gofh.description import Objective
from gofh.errors import ArgumentError
from gofh.study import Study


def _kind(field: Any) -> str:
    """MINIMIZE, LESS_THAN and so on, of a field of a VOCS."""
    name = field if isinstance(field, str) else type(field).__name__
    return name.replace("Objective", "").replace("Constraint", "").upper()


def _size(field: Any) -> int:
    """Of an output: a dtype of gest-api may have a shape, as (float, (12,))."""
    dtype = getattr(field, "dtype", None)
    if not isinstance(dtype, tuple) or len(dtype) < 2:
        return 1
    return math.prod(dtype[1]) if isinstance(dtype[1], Sequence) else int(dtype[1])


def _conditions(name: str, constraint: Any) -> list[str]:
    kind = _kind(constraint)
    if kind in ("BOUNDS", "BOUNDSCONSTRAINT"):
        lower, upper = constraint.range
        return [f"{name} >= {lower!r}", f"{name} <= {upper!r}"]
    return [f"{name} {'<=' if kind.startswith('LESS') else '>='} {constraint.value!r}"]


class Generator:
    """A study whose outputs are the observables of ``vocs`` (and what it constrains), and whose f is ``g`` of them.

    Where ``g`` is left out, the objective is an output itself. ``settings`` and ``data`` are those of Study; ``outputs``
    are sizes by name, where the VOCS does not say them. Suggested points have their trial as ``"_id"``.
    """

    returns_id = True

    def __init__(self, vocs: Any, g: Objective | None = None, *, outputs: Mapping[str, int] | None = None, **named: Any) -> None:
        self._validate_vocs(vocs)
        #: The VOCS that it was made with, for those who drive it.
        self.vocs = vocs
        (objective,) = vocs.objectives
        sizes = {name: _size(field) for name, field in (vocs.observables or {}).items()} if g is not None else {objective: 1}
        sizes.update({name: 1 for name in vocs.constraints if name not in sizes})
        sizes.update(outputs or {})
        if not sizes:
            raise ArgumentError("g is given, but the VOCS has no observables that it could be of")
        self._constants = {name: getattr(field, "value", field) for name, field in (vocs.constants or {}).items()}
        constraints = [text for name, field in vocs.constraints.items() for text in _conditions(name, field)]
        #: The study, with all that it can tell.
        self.study = Study(
            objective if g is None else g,
            {name: tuple(field.domain) for name, field in vocs.variables.items()},
            outputs=sizes,
            sense="maximize" if _kind(vocs.objectives[objective]) == "MAXIMIZE" else "minimize",
            constraints=constraints,
            **named,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Generator:
        """Itself: Xopt copies its generator, and a study has one writer."""
        return self

    def _validate_vocs(self, vocs: Any) -> None:
        if len(vocs.objectives) != 1:
            raise ArgumentError(f"the VOCS has {len(vocs.objectives)} objectives: gofh takes one, of any number of outputs")
        for name, field in vocs.objectives.items():
            if _kind(field) not in ("MINIMIZE", "MAXIMIZE"):
                raise ArgumentError(f"objective {name!r} is {_kind(field)}: gofh minimises or maximises")
        for name, field in vocs.variables.items():
            domain = getattr(field, "domain", None)
            if domain is None or not np.isfinite(domain).all():
                raise ArgumentError(f"variable {name!r} has no bounds: gofh takes continuous variables in a range")

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """Exactly ``num_points`` points, chosen together; ValueError where the study has a reason to stop first."""
        wanted = 1 if num_points is None else num_points
        trials = self.study.ask(wanted)
        if len(trials) < wanted:
            for trial in trials:
                self.study.fail(trial, "not evaluated: fewer points were left than asked for")
            raise ArgumentError(f"{wanted} points are asked for, and there are {len(trials)}: {self.study.stopped}")
        names = self.study.names
        return [
            {**dict(zip(names, map(float, trial.x))), **self._constants, "_id": trial.number} for trial in trials
        ]

    def ingest(self, results: Sequence[Mapping[str, Any]]) -> None:
        """Takes evaluated points: those with an ``"_id"`` are trials that suggest gave, others are new to the study."""
        for result in results:
            y = {name: result.get(name) for name in self.study.outputs}
            missing = [name for name, value in y.items() if value is None]
            number, error = result.get("_id"), result.get("xopt_error")
            raised = bool(error) and error == error  # Xopt has NaN where there is none
            if number is None or isinstance(number, float) and math.isnan(number):
                if not missing and not raised:
                    self.study.add([result[name] for name in self.study.names], y)
            elif not 1 <= int(number) <= len(self.study) or self.study.trial(int(number)).state != "open":
                raise ArgumentError(f"_id is {number}: no point that was suggested and not answered has it")
            elif raised:
                text = result.get("xopt_error_str")
                lines = text.split("\n") if isinstance(text, str) else []
                self.study.fail(int(number), next((line.strip() for line in reversed(lines) if line.strip()), "it raised"))
            elif missing:
                self.study.fail(int(number), f"the result has no {missing[0]}")
            else:
                self.study.tell(int(number), y)

    def finalize(self) -> None:
        """Nothing is left to do: what was ingested is known, and on disk where the study has a path."""


def _register() -> None:
    """Makes it one of gest-api's generators where that is installed."""
    try:
        module = __import__("gest_api.generator", fromlist=["Generator"])
    except ImportError:
        return
    module.Generator.register(Generator)


_register()
