"""The posterior on the simulator itself: on a grid where there are two parameters, else by long MCMC."""
import numpy as np


def _grid(problem, samples, rng, side=700):
    ticks = (np.arange(side) + 0.5) / side
    u = np.stack(np.meshgrid(ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 2)
    value = problem.log_likelihood(u)
    weight = np.exp(value - value.max())
    chosen = rng.choice(len(u), samples, p=weight / weight.sum())
    return u[chosen] + (rng.random((samples, 2)) - 0.5) / side


def _move(problem, u, value, beta, rng):
    """Differences of two others (ter Braak) for one half after the other."""
    count, d = u.shape
    accepted = 0
    for half in (slice(0, count // 2), slice(count // 2, count)):
        others = u[count // 2:] if half.start == 0 else u[:count // 2]
        own = u[half]
        a, b = others[rng.integers(len(others), size=len(own))], others[rng.integers(len(others), size=len(own))]
        gamma = np.where(rng.random(len(own)) < 0.1, 1.0, 2.38 / np.sqrt(2 * d) * rng.uniform(0.4, 1.2, len(own)))
        to = own + gamma[:, None] * (a - b) + 1e-6 * rng.normal(size=own.shape)
        inside = ((to > 0) & (to < 1)).all(axis=1)
        new = np.full(len(own), -np.inf)
        if inside.any():
            new[inside] = problem.log_likelihood(to[inside])
        take = np.log(rng.random(len(own))) < beta * (new - value[half])
        own[take], value[half] = to[take], np.where(take, new, value[half])
        u[half] = own
        accepted += take.sum()
    return accepted


def sample(problem, samples=8000, seed=1, walkers=400, steps=150):
    """Rows in the unit cube."""
    rng = np.random.default_rng(seed)
    if problem.d == 2:
        return _grid(problem, samples, rng)
    u = rng.random((walkers, problem.d))
    value, beta = problem.log_likelihood(u), 0.0
    while beta < 1.0:
        low, high = 0.0, 1.0 - beta
        for _ in range(40):
            middle = 0.5 * (low + high)
            w = np.exp(middle * (value - value.max()))
            low, high = (low, middle) if w.sum() ** 2 / (w ** 2).sum() < 0.5 * walkers else (middle, high)
        step = 1.0 - beta if low >= 0.999 * (1.0 - beta) else max(low, 1e-12)
        w = np.exp(step * (value - value.max()))
        chosen = rng.choice(walkers, walkers, p=w / w.sum())
        u, value, beta = u[chosen].copy(), value[chosen].copy(), min(beta + step, 1.0)
        moved, tries = 0, 0
        while moved < 3 * walkers and tries < 30:
            moved, tries = moved + _move(problem, u, value, beta, rng), tries + 1
    kept = []
    for step in range(steps):
        _move(problem, u, value, 1.0, rng)
        if step >= 30:
            kept.append(u.copy())
    kept = np.concatenate(kept)
    return kept[rng.choice(len(kept), min(samples, len(kept)), replace=False)]


def difference(samples, truth):
    """The largest difference of a marginal's distribution functions, over all parameters."""
    most = 0.0
    for k in range(truth.shape[1]):
        a, b = np.sort(samples[:, k]), np.sort(truth[:, k])
        at = np.concatenate([a, b])
        most = max(most, np.abs(np.searchsorted(a, at, "right") / len(a) - np.searchsorted(b, at, "right") / len(b)).max())
    return most
