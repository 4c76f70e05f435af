"""g as a Python function, with and without gradients."""
import importlib.util
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from conftest import BOUNDS, MISFIT, OBSERVED, decay

import gofh
from gofh.outer import takes_parameters, wrap


def misfit(y):
    return np.sum((y - OBSERVED) ** 2, axis=1)


def slope(y):
    return 2 * (y - OBSERVED)


def batch_through(g, gradient, y, x):
    """Value, dy and dx as the library gets them."""
    outer, _ = wrap(g, gradient, x.shape[1], y.shape[1])
    value, dy, dx = np.zeros(len(y)), np.zeros_like(y), np.zeros_like(x)
    outer(*(memoryview(array.ravel()).cast("B") for array in (y, x, value, dy, dx)))
    return value, dy, dx


@pytest.mark.parametrize("gradient, threads, budget", [(None, 1, 10), (None, 2, 8), (slope, 1, 10), (slope, 2, 10)])
def test_a_function_finds_what_its_expression_finds(gradient, threads, budget):
    options = {"budget": budget, "initial": 6}
    result = gofh.minimize(decay, misfit, BOUNDS, outputs=6, gradient=gradient, threads=threads, **options)
    expression = gofh.minimize(decay, MISFIT, BOUNDS, data={"observed": OBSERVED}, **options)
    assert [t.x.tobytes() for t in result.history[:6]] == [t.x.tobytes() for t in expression.history[:6]]
    assert result.fun == pytest.approx(misfit(decay(result.x)[None])[0], rel=1e-12)
    assert result.fun < min(t.f for t in result.history[:6]) / 10 and expression.fun < 1


def test_the_number_of_threads_does_not_change_the_run():
    runs = [gofh.minimize(decay, misfit, BOUNDS, outputs=6, gradient=slope, budget=9, threads=t) for t in (1, 2)]
    assert [t.x.tobytes() for t in runs[0].history] == [t.x.tobytes() for t in runs[1].history]


def test_a_function_may_depend_on_the_parameters():
    def g(y, x):
        return y[:, 0] + x[:, 0] ** 2

    def gradient(y, x):
        return np.ones_like(y), 2 * x

    y, x = np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]])
    value, dy, dx = batch_through(g, gradient, y, x)
    assert value.tolist() == [10, 18] and dy.tolist() == [[1], [1]] and dx.tolist() == [[6], [8]]
    result = gofh.minimize(lambda x: [-x[0]], g, [(-1, 2)], gradient=gradient, budget=12)
    assert result.x[0] == pytest.approx(0.5, abs=1e-2)


def test_g_is_called_with_x_only_if_it_must_be():
    assert takes_parameters(lambda y, x: y) and not takes_parameters(lambda y: y)
    assert not takes_parameters(lambda y, power=2: y)


def evaluated_once(g, gradient, h, **options):
    """A study after its first evaluation; h is told at the point that is asked."""
    study = gofh.Study(g, [(1, 2), (0, 4)], outputs=len(h), gradient=gradient, **options)
    trial = study.ask()
    study.tell(trial, h)
    return study


@pytest.mark.parametrize("wrong, message", [
    (lambda y: -2 * (y - OBSERVED), r"its value in y\[\d\] is -?\d.*, and differences of g say -?\d"),
    (lambda y: (y - OBSERVED), "differences of g say"),
    (lambda y: 2 * (y - OBSERVED) + [0, 0, 0, 0, 0, 3], r"in y\[5\] is 5, and differences of g say 2[.;, ]"),
])
def test_a_wrong_gradient_is_noticed_at_the_first_evaluation(wrong, message):
    with pytest.warns(RuntimeWarning, match=message) as caught:
        evaluated_once(misfit, wrong, OBSERVED + 1)
    assert len(caught) == 1 and caught[0].filename == __file__  # told where the study was told


def test_a_gradient_that_leaves_the_parameters_out_is_noticed():
    def g(y, x):
        return y[:, 0] * x[:, 1]

    with pytest.warns(RuntimeWarning, match=r"in x\[1\] is not given \(return dy and dx\), and differences of g say 3"):
        evaluated_once(g, lambda y, x: np.stack([x[:, 1], 0 * x[:, 1]], axis=1), [3.0, 1.0])
    with pytest.warns(RuntimeWarning, match=r"in x\[0\] is 1, and differences of g say 0"):
        evaluated_once(g, lambda y, x: (np.stack([x[:, 1], 0 * x[:, 1]], axis=1), np.stack([1 + 0 * y[:, 0], y[:, 0]], axis=1)),
                       [3.0, 1.0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("g, gradient, h", [
    (misfit, slope, OBSERVED),  # at the optimum
    (misfit, slope, OBSERVED + 1),
    (lambda y: np.abs(y).sum(1), lambda y: np.sign(y), [0.0, 1.0, -1e-9]),  # at a kink
    (lambda y: np.abs(y).sum(1), lambda y: np.where(y < 0, -1.0, 1.0), [0.0, 1.0, -1e-9]),
    (lambda y: np.max(y, axis=1), lambda y: (y == np.max(y, axis=1, keepdims=True)) * 1.0, [1.0, 2.0, 3e9]),
    (lambda y: np.exp(300 * y[:, 0]) + 1e-12 * y[:, 1], lambda y: np.stack([300 * np.exp(300 * y[:, 0]), 1e-12 + 0 * y[:, 1]],
                                                                           axis=1), [1.0, 1e-15]),
    (lambda y: np.sum(y.astype(np.float32) ** 2, axis=1), lambda y: 2 * y, [1.0, 1e3, 3.0]),  # in single precision
    (lambda y: np.nansum(y**2, axis=1), lambda y: 2 * np.nan_to_num(y), [1.0, np.nan, 3.0]),
    (lambda y: np.log(y[:, 0]), lambda y: 1 / y, [1e-300]),
    (lambda y: np.sqrt(1 - y[:, 0]), lambda y: np.full_like(y, -np.inf), [1.0]),  # without a value beside it
    (lambda y, x: y[:, 0] + np.array([1.0, 5.0, 2.0])[x[:, 0].astype(int)], lambda y, x: np.ones_like(y), [2.0]),
    (lambda y: np.sum(y**2, axis=1), lambda y: 2 * y, np.linspace(-1, 1, 3000)),
])
def test_a_right_gradient_is_not_doubted(g, gradient, h):
    evaluated_once(g, gradient, h, missing=True)


def test_a_gradient_of_the_wrong_shape_is_told_at_the_first_evaluation():
    with pytest.raises(gofh.ArgumentError, match=r"the gradient of g in y has shape \(1,\) instead of \(1, 6\)"):
        evaluated_once(misfit, lambda y: 2 * np.sum(y, axis=1), OBSERVED)


def test_the_first_evaluation_of_a_file_is_where_a_gradient_is_checked(tmp_path):
    evaluated_once(misfit, slope, OBSERVED + 1, path=tmp_path / "study.db").close()
    with pytest.warns(RuntimeWarning, match="gradient is not that of g"):
        gofh.Study.load(tmp_path / "study.db", g=misfit, gradient=lambda y: -slope(y)).close()


def test_what_g_keeps_stays_as_it_was():
    kept = []

    def g(y):
        kept.append((y, y.copy()))
        return y[:, 0] ** 2

    gofh.minimize(lambda x: x[0], g, [(-1, 1)], outputs=1, budget=6)
    assert len(kept) > 3 and all(np.array_equal(y, copy) for y, copy in kept)


def test_the_exception_of_g_is_the_one_that_is_raised():
    broken = False

    def never(y):
        raise ZeroDivisionError("no g")

    study = gofh.Study(lambda y: never(y) if broken else y[:, 0], [(-1, 1)], outputs=1)
    for _ in range(6):
        trial = study.ask()
        study.tell(trial, trial.x)
    broken = True
    with pytest.raises(ZeroDivisionError, match="no g"):
        study.ask()
    assert len(study) == 6  # the study is as it was
    broken = False
    assert study.ask().number == 7


def test_a_wrong_shape_is_explained():
    study = gofh.Study(lambda y: y, [(-1, 1)], outputs=2)
    trial = study.ask()
    with pytest.raises(gofh.ArgumentError, match=r"the value of g has shape \(1, 2\) instead of \(1,\): it works on a batch"):
        study.tell(trial, [1, 2])
    assert study.trial(1).state == "open"
    for wrong in (None, ["a"]):
        study = gofh.Study(lambda y: wrong, [(-1, 1)], outputs=2)
        with pytest.raises(gofh.ArgumentError, match=f"the value of g is {re.escape(repr(wrong))}: it is an array of numbers"):
            study.tell(study.ask(), [1, 2])
    with pytest.raises(gofh.ArgumentError, match="gradient is 3"):
        gofh.Study(lambda y: y, [(-1, 1)], outputs=2, gradient=3)


def test_g_may_not_use_the_study_that_calls_it():
    study = None

    def g(y):
        if study is not None:
            study.best()
        return y[:, 0]

    study = gofh.Study(g, [(-1, 1)], outputs=1)
    trial = study.ask()
    with pytest.raises(gofh.Error, match="g can't use the study that is calling it"):
        study.tell(trial, [1])


def test_an_interrupt_in_g_ends_the_run():
    calls = []

    def g(y):
        calls.append(threading.get_ident())
        if len(calls) > 8:
            raise KeyboardInterrupt
        return y[:, 0] ** 2

    result = gofh.minimize(lambda x: x[0], g, [(-1, 1)], outputs=1, budget=20)
    assert result.message == "interrupted" and result.nfev < 20


def test_torch_differentiates_g():
    torch = pytest.importorskip("torch", reason='PyTorch is not installed: "make test-python EXTRA=torch" installs and tests it')
    observed = torch.tensor(OBSERVED)
    y, x = np.array([decay([2, 1]), decay([4, 0.3])]), np.array([[2.0, 1.0], [4.0, 0.3]])
    value, dy, dx = batch_through(lambda y: ((y - observed) ** 2).sum(1), "torch", y, x)
    assert np.allclose(value, misfit(y)) and np.allclose(dy, slope(y)) and not dx.any()
    value, dy, dx = batch_through(lambda y, x: y[:, 0] * x[:, 0], "torch", y, x)
    assert np.allclose(dy[:, 0], x[:, 0]) and np.allclose(dx[:, 0], y[:, 0])
    with pytest.raises(gofh.ArgumentError, match="g returns a tensor, not array"):
        batch_through(lambda y: y.detach().numpy(), "torch", y, x)
    with pytest.raises(TypeError) as caught:
        batch_through(lambda y: torch.sum(y, dim=1), None, y, x)
    assert 'say gradient="torch"' in caught.value.__notes__[0]


def check_jax():
    import jax

    y, x = np.array([decay([2, 1]), decay([4, 0.3])]), np.array([[2.0, 1.0], [4.0, 0.3]])
    value, dy, dx = batch_through(lambda y: jax.numpy.sum((y - OBSERVED) ** 2, axis=1), "jax", y, x)
    assert np.allclose(value, misfit(y), rtol=1e-14) and np.allclose(dy, slope(y), rtol=1e-14) and not dx.any()
    value, dy, dx = batch_through(lambda y, x: y[:, 0] * x[:, 0], "jax", y, x)
    assert np.allclose(dy[:, 0], x[:, 0]) and np.allclose(dx[:, 0], y[:, 0])


def test_jax_differentiates_g():
    if importlib.util.find_spec("jax") is None:
        pytest.skip('JAX is not installed: "make test-python" does that')
    # In a process of its own: where JAX is loaded, forks, which other tests are about, are warned
    # against.
    done = subprocess.run([sys.executable, "-c", "import test_outer; test_outer.check_jax()"], cwd=Path(__file__).parent,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name, package", [("torch", "PyTorch"), ("jax", "JAX")])
def test_a_framework_that_is_not_installed_is_named(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, name, None)
    for outputs in (None, 6):
        with pytest.raises(gofh.MissingError, match=f'gradient="{name}" needs {package}: pip install {name}'):
            gofh.Study(misfit, BOUNDS, outputs=outputs, gradient=name)
