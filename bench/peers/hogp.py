#!/usr/bin/env python3
"""Processor seconds of one suggestion by BoTorch's HigherOrderGP, which models all outputs together, beside gofh's.

    bench/peers/hogp.py [--outputs 100] [--data 20] [--steps 100]

A damped oscillation of four parameters is fitted to its values at one point. Both methods have the same uniform points.
BoTorch: so many steps of Adam on the marginal likelihood (fit_gpytorch_mll_torch), composite qLogEI of the sum of squares
with 64 samples, 64 raw samples, 4 restarts of 20 iterations. One thread each.
"""
from __future__ import annotations

import argparse
import time
import warnings

import gofh
import numpy as np
import torch
from botorch.acquisition import qLogExpectedImprovement
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll_torch
from botorch.models.higher_order_gp import HigherOrderGP
from botorch.optim import optimize_acqf
from botorch.sampling import IIDNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

PARAMETERS = 4


def oscillation(x, outputs):
    size, decay, frequency, phase = x
    t = np.linspace(0, 10, outputs)
    return (0.5 + size) * np.exp(-(0.05 + 0.5 * decay) * t) * np.cos((0.5 + 2 * frequency) * t + phase)


def suggest_hogp(x, y, target, steps):
    start = time.process_time()
    goal = torch.tensor(target)
    model = HigherOrderGP(torch.tensor(x), torch.tensor(y))
    fit_gpytorch_mll_torch(ExactMarginalLogLikelihood(model.likelihood, model), step_limit=steps)
    print(f"HigherOrderGP, fit: {time.process_time() - start:.1f} s", flush=True)
    objective = GenericMCObjective(lambda samples, X=None: -((samples - goal) ** 2).sum(-1))
    acquisition = qLogExpectedImprovement(model, best_f=-((y - target) ** 2).sum(1).min(), objective=objective,
                                          sampler=IIDNormalSampler(torch.Size([64])))
    found, _ = optimize_acqf(acquisition, bounds=torch.stack([torch.zeros(PARAMETERS), torch.ones(PARAMETERS)]), q=1,
                             num_restarts=4, raw_samples=64, options={"maxiter": 20, "batch_limit": 4})
    return found[0].tolist(), time.process_time() - start


def suggest_gofh(x, y, target):
    study = gofh.Study("sum((y - target)^2)", [(0, 1)] * PARAMETERS, outputs=len(target), data={"target": target}, seed=1)
    for point, values in zip(x, y):
        study.add(point, values)
    start = time.process_time()
    return study.ask().x, time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outputs", type=int, default=100)
    parser.add_argument("--data", type=int, default=20)
    parser.add_argument("--steps", type=int, default=100)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.double)
    torch.manual_seed(1)
    x = np.random.default_rng(1).random((wanted.data, PARAMETERS))
    y = np.array([oscillation(point, wanted.outputs) for point in x])
    target = oscillation([0.3, 0.4, 0.5, 0.6], wanted.outputs)
    print(f"best of {wanted.data} data: {((y - target) ** 2).sum(1).min():.3g}")
    for name, (found, seconds) in (("gofh", suggest_gofh(x, y, target)),
                                   ("HigherOrderGP", suggest_hogp(x, y, target, wanted.steps))):
        misfit = ((oscillation(found, wanted.outputs) - target) ** 2).sum()
        print(f"{name}: {seconds:.3f} s, misfit there {misfit:.3g}", flush=True)


if __name__ == "__main__":
    main()
