"""BoTorch: expected improvement of the composition (its logarithm, by Monte Carlo), and of f.

Double precision, hyperparameters at the maximum of their posterior under BoTorch's own priors,
inputs in the unit cube, outputs standardised; one thread. BEST is the noise that did best here,
DEFAULT the least that GPyTorch allows unless another is set; all else is the same.
"""
import contextlib
import dataclasses
import warnings

import numpy as np

RESTARTS, RAW_SAMPLES, DRAWS = 10, 512, 128


@dataclasses.dataclass(frozen=True)
class Settings:
    noise: float  # variance of the standardised outputs
    jitter: float  # added to the diagonal of what does not factor, then ten times that, and so on
    tries: int


BEST = Settings(noise=1e-12, jitter=1e-12, tries=8)
DEFAULT = Settings(noise=1e-6, jitter=1e-8, tries=3)


def _import():
    warnings.filterwarnings("ignore")  # of what its own libraries find old
    import botorch  # noqa: F401  says by failing that it is not there
    import torch
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.double)
    return torch


@contextlib.contextmanager
def precision(settings):
    import gpytorch
    import linear_operator
    with gpytorch.settings.min_fixed_noise(double_value=settings.noise), \
            linear_operator.settings.cholesky_jitter(double_value=settings.jitter), \
            linear_operator.settings.cholesky_max_tries(settings.tries):
        yield


def fit(torch, u, values, noise):
    """A GP for each column of values, which are standardised here; returns also how. noise None: it
    is inferred."""
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood
    y = torch.as_tensor(np.array(values))
    mean, scale = y.mean(dim=0), y.std(dim=0).clamp_min(1e-14)
    y = (y - mean) / scale
    variance = None if noise is None else torch.full_like(y, noise)
    model = SingleTaskGP(u, y, train_Yvar=variance, outcome_transform=None)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model, mean, scale


def _maximise(torch, acquisition, d, seed, batch):
    """One row per point of the batch, chosen one after the other with those before pending."""
    from botorch.optim import optimize_acqf
    bounds = torch.stack([torch.zeros(d), torch.ones(d)])
    points, _ = optimize_acqf(acquisition, bounds=bounds, q=batch, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES,
                              options={"seed": seed}, sequential=batch > 1)
    return points.detach().numpy().reshape(batch, d)


def _suggest(torch, history, settings, acquisition_of, batch):
    """The next points, and how often the noise had to be raised tenfold until everything could be
    factored."""
    from botorch.exceptions import ModelFittingError
    from linear_operator.utils.errors import NanError, NotPSDError
    done = [i for i, y in enumerate(history.y) if y is not None]
    for raised in range(12):
        noise = None if history.problem.noisy else settings.noise * 10.0**raised
        try:
            acquisition = acquisition_of(torch.as_tensor(np.array([history.u[i] for i in done])), done, noise)
            return _maximise(torch, acquisition, history.problem.d, len(history.u), batch), raised
        except (ModelFittingError, NanError, NotPSDError, RuntimeError):  # of torch: not factored, not finite
            continue
    return [], raised


def _loop(torch, history, seed, settings, acquisition_of, batch=1):
    torch.manual_seed(seed * 1000003 + history.problem.rep)
    raised_in = repeated = 0
    with precision(settings):
        while history.left and not history.at_floor:
            before = history.left
            points, raised = _suggest(torch, history, settings, acquisition_of, min(batch, history.left))
            raised_in += raised > 0
            for point in points:
                history.evaluate(point)
            if history.left == before:  # none, or one it had already: it would ask for it for ever
                repeated += 1
                history.evaluate(np.random.default_rng([seed, len(history.u)]).random(history.problem.d))
    if raised_in or repeated:
        history.remark = f"noise raised in {raised_in} suggestions, {repeated} points replaced by random ones"


def standard(settings):
    torch = _import()
    from botorch.acquisition import LogExpectedImprovement

    def run(history, seed):
        def acquisition_of(u, done, noise):
            f = np.array([history.f[i] for i in done])
            finite = f[np.isfinite(f)]
            f = np.where(np.isfinite(f), f, finite.min() if len(finite) else 0.0)
            model, mean, scale = fit(torch, u, f[:, None], noise)
            best = float((f.max() - mean[0]) / scale[0])
            if noise is None:
                best = float(model.posterior(u).mean.max())
            return LogExpectedImprovement(model, best_f=best)

        _loop(torch, history, seed, settings, acquisition_of)

    return run


def composite(settings, batch=1):
    torch = _import()
    from botorch.acquisition import qLogExpectedImprovement
    from botorch.acquisition.objective import GenericMCObjective
    from botorch.sampling import SobolQMCNormalSampler

    class Outer(torch.autograd.Function):
        """g, computed by the library; an infeasible point gets the value `worst`, with gradient
        0."""

        @staticmethod
        def forward(ctx, y, x, problem, worst):
            value, dy, dx = problem.outer(y.detach().numpy(), x.detach().numpy(), gradient=True)
            bad = ~np.isfinite(value)
            value[bad], dy[bad], dx[bad] = worst, 0.0, 0.0
            ctx.save_for_backward(torch.as_tensor(dy), torch.as_tensor(dx))
            return torch.as_tensor(value)

        @staticmethod
        def backward(ctx, gradient):
            dy, dx = ctx.saved_tensors
            return gradient[:, None] * dy, gradient[:, None] * dx, None, None

    def run(history, seed):
        problem = history.problem
        low = torch.as_tensor(np.where(problem.logarithmic, np.log(np.abs(problem.lower) + (problem.lower == 0)), problem.lower))
        high = torch.as_tensor(np.where(problem.logarithmic, np.log(np.abs(problem.upper) + (problem.upper == 0)), problem.upper))
        logarithmic = torch.as_tensor(problem.logarithmic)

        def to_user(u):
            x = low + (high - low) * u
            return torch.where(logarithmic, torch.exp(torch.where(logarithmic, x, torch.zeros_like(x))), x)

        def acquisition_of(u, done, noise):
            f = np.array([history.f[i] for i in done])
            finite = f[np.isfinite(f)]
            worst = float(finite.min() - (finite.max() - finite.min()) - 1.0) if len(finite) else -1e6
            model, mean, scale = fit(torch, u, [history.y[i] for i in done], noise)

            def objective(samples, X=None):
                y = mean + scale * samples
                x = to_user(X).expand(*samples.shape[:-1], problem.d)
                value = Outer.apply(y.reshape(-1, problem.m).contiguous(), x.reshape(-1, problem.d).contiguous(), problem, worst)
                return value.reshape(samples.shape[:-1])

            best = float(finite.max()) if len(finite) else worst
            if noise is None:
                best = float(objective(model.posterior(u).mean, u).max())
            sampler = SobolQMCNormalSampler(sample_shape=torch.Size([DRAWS]), seed=len(history.u))
            return qLogExpectedImprovement(model, best_f=best, sampler=sampler, objective=GenericMCObjective(objective))

        _loop(torch, history, seed, settings, acquisition_of, batch)

    return run
