"""What is reported of the model is enough to rebuild it in NumPy."""
import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, decay

import gofh

KAPPA = {
    "squared-exponential": lambda r: np.exp(-(r**2) / 2),
    "matern-5/2": lambda r: (1 + np.sqrt(5) * r + 5 / 3 * r**2) * np.exp(-np.sqrt(5) * r),
    "matern-3/2": lambda r: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
}


def covariance(p, a, b):
    r = np.sqrt(np.sum(((a[:, None] - b) / p.lengthscale) ** 2, axis=2))
    q = 1 + (a - 0.5) / p.lengthscale**2 @ (b - 0.5).T
    return p.variance * ((1 - p.trend) * KAPPA[p.kernel](r) + p.trend * q**2)


def rebuild(study, output, points):
    """Mean and variance of z, by the joint normal distribution of data and points; the unknown mean
    has a vast variance."""
    p = study.hyperparameters(output)

    def unit(x):
        return np.column_stack([(x[:, 0] - 1) / 9, np.log(x[:, 1] / 0.01) / np.log(1000)])

    x, at = unit(np.array([t.x for t in study.trials])), unit(points)
    z = np.array([t.y[output] for t in study.trials])
    z = np.log(z) if p.logarithmic else z
    vast = 1e6 * p.variance
    joint = covariance(p, x, x) + (p.noise + p.nugget * p.variance) * np.eye(len(x)) + vast
    across = covariance(p, x, at) + vast
    mean = across.T @ np.linalg.solve(joint, z)
    variance = np.diag(covariance(p, at, at)) + vast - np.sum(across * np.linalg.solve(joint, across), axis=0)
    variance *= p.inflation**2
    if p.logarithmic:
        return p, np.exp(mean + variance / 2), np.expm1(variance) * np.exp(2 * mean + variance)
    return p, mean, variance


def filled(h, count=24, **options):
    study = gofh.Study(MISFIT, BOUNDS, outputs=6, data={"observed": OBSERVED}, **options)
    random = np.random.default_rng(3)
    for u in random.uniform(size=(count, 2)):
        x = np.array([1 + 9 * u[0], 0.01 * 1000 ** u[1]])
        study.add(x, h(x, random))
    return study


POINTS = np.array([[4.0, 0.4], [9.5, 0.02], [1.2, 6.0]])


@pytest.mark.parametrize("kernel", KAPPA)
def test_noise_and_trend_are_those_of_the_posterior(kernel):
    study = filled(lambda x, random: decay(x) + 0.1 * random.normal(size=6), kernel=kernel)
    found = study.predict(POINTS)
    both = 0
    for output in range(6):
        p, mean, variance = rebuild(study, output, POINTS)
        assert p.kernel == ("matern-5/2" if kernel == "squared-exponential" else kernel)  # there is noise
        assert p.nugget == 0 and not p.logarithmic
        assert np.allclose(mean, found.mean[:, output], rtol=0, atol=1e-4 * np.sqrt(variance.min()))
        assert np.allclose(variance, found.variance[:, output], rtol=1e-4)
        both += p.noise > 0 and p.trend > 0.1
    assert both > 0


def test_logarithms_are_reported():
    def h(x, random):
        return 10 ** (3 * np.sin(x[0]) + np.log(x[1])) * np.arange(1, 7) * np.exp(0.1 * random.normal(size=6))

    study = filled(h)
    found = study.predict(POINTS)
    for output in range(6):
        p, mean, variance = rebuild(study, output, POINTS)
        assert p.logarithmic
        assert np.allclose(mean, found.mean[:, output], rtol=1e-3)
        assert np.allclose(variance, found.variance[:, output], rtol=1e-3)


def test_noise_that_is_known_is_reported_as_given():
    study = filled(lambda x, random: decay(x) + 0.1 * random.normal(size=6), noise=0.1)  # its standard deviation
    found = [study.hyperparameters(output) for output in range(6)]
    assert np.allclose([p.noise for p in found], 0.01, rtol=1e-9) and max(p.trend for p in found) > 1e-6


def test_quantiles_of_outputs_are_those_of_students_t():
    study = filled(lambda x, random: decay(x) + 0.1 * random.normal(size=6))
    assert not any(study.hyperparameters(output).logarithmic for output in range(6))
    found = study.predict(POINTS)
    f, h = study.predict_quantiles(POINTS, [0.025, 0.5, 0.975])
    deviation = np.sqrt(found.variance)
    assert f.shape == (3, 3) and h.shape == (3, 6, 3)
    assert np.allclose(h[:, :, 1], found.mean, rtol=0, atol=1e-9)
    t = 2.0686576104190486  # SciPy's stats.t.ppf(0.975, 23): the variances are estimated from 24 data
    assert np.allclose(h[:, :, 2] - h[:, :, 1], t * deviation, rtol=1e-6)
    assert np.all(f[:, 0] < f[:, 1]) and np.all(f[:, 1] < f[:, 2]) and np.all(f >= 0)
    with pytest.raises(gofh.ArgumentError, match="the level 1 is not between 0 and 1"):
        study.predict_quantiles(POINTS, 1.0)
