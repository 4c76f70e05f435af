"""Calibrates a chemical reaction from a measured curve, cell by cell as in a notebook.

Open it in an editor that knows "# %%" cells, or run it as it is.
"""
# %% The simulator: A becomes B becomes C, at rates k1 and k2. In earnest this would take hours.
import numpy as np

import gofh

times = np.linspace(0.5, 10, 12)


def reaction(x):
    """Concentrations of B over time."""
    k1, k2 = x
    if abs(k1 - k2) < 1e-12:
        return k1 * times * np.exp(-k1 * times)
    return k1 / (k2 - k1) * (np.exp(-k1 * times) - np.exp(-k2 * times))


# %% What was measured, with errors
truth = np.array([0.8, 0.25])
sigma = 0.01
measured = reaction(truth) + sigma * np.random.default_rng(5).standard_normal(times.size)

# %% The search
result = gofh.minimize(
    reaction,
    "sum(((y - measured)/sigma)^2)",
    {"k1": (0.05, 5, "log"), "k2": (0.05, 5, "log")},
    data={"measured": measured, "sigma": sigma},
    budget=25,
)
print(result)

# %% Was it found? A least-squares fit is off by about sigma over the square root of the number of
# measurements.
assert result.success
assert np.allclose(result.x, truth, rtol=0.1), result.x
assert result.fun < 30  # chi squared of 12 measurements

# %% What the model says of a point that was never evaluated
study = result.study
point = [0.7, 0.3]
prediction = study.predict([point])
worst = np.abs(prediction.mean[0] - reaction(point)).max()
print(f"predicted to {worst:.4f}, by its own account to {np.sqrt(prediction.variance.max()):.4f}")

# %% Ten more evaluations, two at a time, by hand
with gofh.Study("sum(((y - measured)/sigma)^2)", {"k1": (0.05, 5, "log"), "k2": (0.05, 5, "log")}, outputs=times.size,
                data={"measured": measured, "sigma": sigma}, budget=10) as second:
    for trial in result.history:
        second.add(trial.x, trial.y)
    while pair := second.ask(2):
        for trial in pair:
            second.tell(trial, reaction(trial.x))
    print(f"chi squared {result.fun:.3f}, then {second.best().f:.3f}")
    assert second.best().f <= result.fun
