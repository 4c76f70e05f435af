"""BoTorch: expected improvement of the composition (its logarithm, by Monte Carlo), and of f alone.

Double precision, noise variance of 1e-6 on standardised outputs, hyperparameters at the maximum of their posterior
under BoTorch's own priors, inputs in the unit cube; one thread.
"""
import warnings

import numpy as np

NOISE = 1e-6
RESTARTS, RAW_SAMPLES, DRAWS = 10, 512, 128


def _prepare():
    warnings.filterwarnings("ignore")  # of what its own libraries find old
    import botorch  # noqa: F401  says by failing that it is not there
    import torch
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.double)
    return torch


def _fit(torch, u, values):
    """A GP a column of values, which are standardised here; returns also how."""
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood
    y = torch.as_tensor(np.array(values))
    mean, scale = y.mean(dim=0), y.std(dim=0).clamp_min(1e-14)
    y = (y - mean) / scale
    model = SingleTaskGP(torch.as_tensor(np.array(u)), y, train_Yvar=torch.full_like(y, NOISE), outcome_transform=None)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model, mean, scale


def _maximise(torch, acquisition, d, seed):
    from botorch.optim import optimize_acqf
    bounds = torch.stack([torch.zeros(d), torch.ones(d)])
    point, _ = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES,
                             options={"seed": seed})
    return point.detach().numpy().reshape(-1)


def _loop(torch, history, seed, acquisition_of):
    torch.manual_seed(seed * 1000003 + history.problem.rep)
    while history.left:
        done = [i for i, y in enumerate(history.y) if y is not None]
        acquisition = acquisition_of([history.u[i] for i in done], done)
        before = history.left
        history.evaluate(_maximise(torch, acquisition, history.problem.d, len(history.u)))
        if history.left == before:  # a point it had already: it would ask for it for ever
            history.evaluate(np.random.default_rng([seed, len(history.u)]).random(history.problem.d))


def standard():
    torch = _prepare()
    from botorch.acquisition import LogExpectedImprovement

    def run(history, seed):
        def acquisition_of(u, done):
            f = np.array([history.f[i] for i in done])
            finite = f[np.isfinite(f)]
            f = np.where(np.isfinite(f), f, finite.min() if len(finite) else 0.0)
            model, mean, scale = _fit(torch, u, f[:, None])
            return LogExpectedImprovement(model, best_f=float((f.max() - mean[0]) / scale[0]))

        _loop(torch, history, seed, acquisition_of)

    return run


def composite():
    torch = _prepare()
    from botorch.acquisition import qLogExpectedImprovement
    from botorch.acquisition.objective import GenericMCObjective
    from botorch.sampling import SobolQMCNormalSampler

    class Outer(torch.autograd.Function):
        """g, computed by the library; what is not allowed gets the value `worst`, with gradient 0."""

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

        def acquisition_of(u, done):
            f = np.array([history.f[i] for i in done])
            finite = f[np.isfinite(f)]
            worst = float(finite.min() - (finite.max() - finite.min()) - 1.0) if len(finite) else -1e6
            model, mean, scale = _fit(torch, u, [history.y[i] for i in done])

            def objective(samples, X=None):
                y = mean + scale * samples
                x = to_user(X).expand(*samples.shape[:-1], problem.d)
                value = Outer.apply(y.reshape(-1, problem.m).contiguous(), x.reshape(-1, problem.d).contiguous(), problem, worst)
                return value.reshape(samples.shape[:-1])

            best = float(finite.max()) if len(finite) else worst
            sampler = SobolQMCNormalSampler(sample_shape=torch.Size([DRAWS]), seed=len(history.u))
            return qLogExpectedImprovement(model, best_f=best, sampler=sampler, objective=GenericMCObjective(objective))

        _loop(torch, history, seed, acquisition_of)

    return run
