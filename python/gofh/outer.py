"""g as a Python function: called by the library on batches, with its gradient where there is
one."""
from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable
from typing import Any

import numpy as np

from gofh import slopes
from gofh.errors import ArgumentError, MissingError
from gofh.results import Array

Function = Callable[..., Any]
#: What the library calls: y, x, value, dy and dx as views of doubles; dy and dx are None where no gradient is wanted.
Outer = Callable[[memoryview, memoryview, memoryview, "memoryview | None", "memoryview | None"], None]


def takes_parameters(function: Function) -> bool:
    """Whether it is called as g(y, x) rather than as g(y)."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(positional) > 1


def _shaped(values: Any, shape: tuple[int, ...], what: str) -> Array:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = None
    if array is None or values is None:
        raise ArgumentError(f"{what} is {reprlib.repr(values)}: it is an array of numbers")
    if array.shape != shape:
        raise ArgumentError(f"{what} has shape {array.shape} instead of {shape}: it works on a batch, one row per point")
    return array


def _split(gradient: Any) -> tuple[Any, Any]:
    return gradient if isinstance(gradient, tuple) else (gradient, None)


def _numpy(g: Function, gradient: Function | None) -> Callable[[Array, Array, bool], tuple[Any, Any, Any]]:
    with_x = takes_parameters(g)
    gradient_with_x = gradient is not None and takes_parameters(gradient)

    def evaluate(y: Array, x: Array, differentiate: bool) -> tuple[Any, Any, Any]:
        try:
            value = g(y, x) if with_x else g(y)
        except TypeError as error:
            if "Tensor" in str(error):
                error.add_note('gofh: g gets arrays of NumPy. Where it is written with PyTorch, say gradient="torch"')
            raise
        if not differentiate or gradient is None:
            return value, None, None
        return value, *_split(gradient(y, x) if gradient_with_x else gradient(y))

    return evaluate


def _torch(g: Function) -> Callable[[Array, Array, bool], tuple[Any, Any, Any]]:
    try:
        import torch
    except ImportError:
        raise MissingError('gradient="torch" needs PyTorch: pip install torch') from None

    with_x = takes_parameters(g)

    def evaluate(y: Array, x: Array, differentiate: bool) -> tuple[Any, Any, Any]:
        with torch.set_grad_enabled(differentiate):
            inputs = [torch.from_numpy(array).requires_grad_(differentiate) for array in ((y, x) if with_x else (y,))]
            value = g(*inputs)
            if not isinstance(value, torch.Tensor):
                raise ArgumentError(f'with gradient="torch" g returns a tensor, not {reprlib.repr(value)}')
            if not differentiate:
                return value.numpy(), None, None
            found = torch.autograd.grad(value.sum(), inputs, allow_unused=True)
        slopes = [np.zeros(i.shape) if s is None else s.numpy() for s, i in zip(found, inputs)]
        return value.detach().numpy(), slopes[0], slopes[1] if with_x else None

    return evaluate


def _jax(g: Function) -> Callable[[Array, Array, bool], tuple[Any, Any, Any]]:
    try:
        import jax
        import jax.experimental
    except ImportError:
        raise MissingError('gradient="jax" needs JAX: pip install jax') from None

    with_x = takes_parameters(g)
    module: Any = jax
    in_doubles = module.enable_x64 if hasattr(module, "enable_x64") else module.experimental.enable_x64
    value_of = jax.jit(g)
    slopes_of = jax.jit(jax.grad(lambda *inputs: g(*inputs).sum(), argnums=(0, 1) if with_x else (0,)))

    def evaluate(y: Array, x: Array, differentiate: bool) -> tuple[Any, Any, Any]:
        inputs = (y, x) if with_x else (y,)
        with in_doubles(True):
            value = value_of(*inputs)
            if not differentiate:
                return value, None, None
            slopes = slopes_of(*inputs)
        return value, slopes[0], slopes[1] if with_x else None

    return evaluate


def wrap(g: Function, gradient: Function | str | None, d: int, m: int) -> tuple[Outer, bool]:
    """g as the library calls it, and whether it has a gradient."""
    if gradient == "torch":
        evaluate = _torch(g)
    elif gradient == "jax":
        evaluate = _jax(g)
    elif gradient is None or callable(gradient):
        evaluate = _numpy(g, gradient)
    else:
        raise ArgumentError(f'gradient is {gradient!r}: it is a function, "torch", "jax" or None')

    unchecked = [True] if callable(gradient) else []

    def check(y: Array, x: Array) -> None:
        _, y_slope, x_slope = evaluate(y, x, True)
        dy = _shaped(y_slope, y.shape, "the gradient of g in y")[0]
        dx = None if x_slope is None else _shaped(x_slope, x.shape, "the gradient of g in x")[0]
        slopes.compare(lambda ys, xs: evaluate(ys, xs, False)[0], y[0], x[0], dy, dx, takes_parameters(g))

    def outer(
        y_view: memoryview, x_view: memoryview, value: memoryview, dy: memoryview | None, dx: memoryview | None
    ) -> None:
        # Copies: g may keep what it is given, and the library reuses its memory.
        y = np.frombuffer(y_view, dtype=np.float64).reshape(-1, m).copy()
        x = np.frombuffer(x_view, dtype=np.float64).reshape(-1, d).copy()
        found, y_slope, x_slope = evaluate(y, x, dy is not None)
        values = _shaped(found, (len(y),), "the value of g")
        np.frombuffer(value, dtype=np.float64)[:] = values
        if dy is not None:
            np.frombuffer(dy, dtype=np.float64)[:] = _shaped(y_slope, y.shape, "the gradient of g in y").ravel()
        if dx is not None and x_slope is not None:
            np.frombuffer(dx, dtype=np.float64)[:] = _shaped(x_slope, x.shape, "the gradient of g in x").ravel()
        if unchecked and len(y) and np.isfinite(values[0]):
            unchecked.clear()
            check(y[:1].copy(), x[:1].copy())

    return outer, gradient is not None
