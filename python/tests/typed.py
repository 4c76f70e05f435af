"""What type checkers know of the package: they refuse each line that is to be ignored here, or mypy
says that it need not be."""
from typing import assert_type

import gofh

result = gofh.minimize(lambda x: x[0], "y", [(0, 1)], outputs=1, budget=10, workers=2, constraints="y >= 0")
assert_type(result, gofh.Result)
assert_type(result.fun, float)
gofh.maximize(lambda x: x[0], "y", {"a": (0, 1, "log")}, callback=lambda study, trial: trial.f > 3, method="ei")
gofh.minimize(lambda x: x[0], "y", {"a": (0, 1)}, x0=[0.5])
gofh.minimize(lambda x: x[0], "y", {"a": (0, 1)}, x0={"a": 0.5})
gofh.minimize(lambda x: x[0], "y", {"a": (0, 1)}, x0=[{"a": 0.5}, {}])
gofh.minimize(lambda x: x[0], "y", {"a": (0, 1)}, x0=[{"a": "half"}])
gofh.minimize(lambda x: x[0], "y", [(0, 1)], bugdet=10)  # type: ignore[call-arg]
gofh.minimize(lambda x: x[0], "y", [(0, 1)], budget="10")  # type: ignore[arg-type]
gofh.maximize(lambda x: x[0], "y")  # type: ignore[call-arg]

study = gofh.Study("y", [(0, 1)])
assert_type(study.ask(), gofh.Trial | None)
assert_type(study.ask(3), list[gofh.Trial])
study.enqueue({"x0": 0.5})
study.add({"x0": 0.5}, 3.0)
study.add({"x0": [0.5]}, 3.0)  # type: ignore[dict-item]
assert_type(study.queued, int)
study.tell("first", 3.0)  # type: ignore[arg-type]
assert_type(study.predict([[0.5]]).f, gofh.results.Array)
assert_type(study.posterior(100).samples, gofh.results.Array)
gofh.minimize(lambda x: x[0], {"y": "o"}, {"a": (0, 1)}, data={"o": [1]}, prior={"a": "normal(0.5, 1)"})
gofh.minimize(lambda x: x[0], "y", {"a": (0, 1)}, prior={"a": 0.5})  # type: ignore[dict-item]
