"""The posterior of the parameters: samples, summary, priors, pictures."""
import dataclasses
import itertools
import pickle
import sys

import numpy as np
import pytest
from conftest import BOUNDS, OBSERVED, decay

import gofh

SLOPE = np.array([[1.0, 0.5], [0.4, 1.2], [-0.3, 0.8], [0.9, -0.2], [0.5, 0.5]])
DATA = np.array([0.9, 0.2, -0.45, 1.0, 0.3])


def linear_study(**named):
    study = gofh.Study({"y": "o"}, {"a": (-4, 5), "b": (-4, 4)}, outputs=5, data={"o": DATA}, **named)
    for a in np.linspace(-4, 5, 4):
        for b in np.linspace(-4, 4, 4):
            study.add([a, b], SLOPE @ [a, b])
    return study


def test_a_linear_h_has_the_exact_posterior_under_either_way_to_write_a_prior():
    sigma, centre, spread = 0.3, np.array([0.5, 0.1]), np.array([0.4, 0.3])
    covariance = np.linalg.inv(SLOPE.T @ SLOPE / sigma**2 + np.diag(1 / spread**2))
    mean = covariance @ (SLOPE.T @ DATA / sigma**2 + centre / spread**2)
    study = linear_study(sigma={"o": sigma}, prior={"a": "normal(0.5, 0.4)", "b": ("normal", 0.1, 0.3)})
    posterior = study.posterior(20000)
    deviation = np.sqrt(np.diag(covariance))
    assert posterior.samples.shape == (20000, 2)
    assert np.allclose(posterior.mean, mean, atol=0.03 * deviation.min())
    assert np.allclose(posterior.deviation, deviation, rtol=0.03)
    assert np.allclose(np.cov(posterior.samples.T), covariance, atol=0.06 * deviation.max() ** 2)
    assert np.allclose(posterior.correlation, np.corrcoef(posterior.samples.T), atol=0.03)
    assert posterior.converged and posterior.data == 5 and posterior.sigma == {} and posterior.message == ""
    assert posterior.summary["a"]["mean"] == posterior.mean[0]
    assert str(posterior).splitlines()[1].startswith("a ")
    narrow = dataclasses.replace(posterior, best=posterior.best * 0 + 90.0000012, mean=posterior.mean * 0 + 90.0000012,
                                 deviation=posterior.deviation * 0 + 3e-9, lower=posterior.lower * 0 + 90.0000011941,
                                 upper=posterior.upper * 0 + 90.0000012059)
    head, row, *_ = str(narrow).splitlines()
    assert row.split()[1:] == ["90.0000012", "90.0000012", "3e-09", "90.0000011941", "90.0000012059"]
    assert len(head) == len(row)


def test_an_unknown_sigma_is_sampled_too():
    posterior = linear_study().posterior(2000)
    assert list(posterior.sigma) == ["o"] and posterior.sigma["o"].shape == (2000,)
    assert "sigma of o is estimated" in posterior.message


def test_predictions_have_the_posterior_in_them_and_then_the_noise():
    study = linear_study(sigma={"o": 0.3})
    posterior = study.posterior(4000)
    outputs, noisy = posterior.predictive(4000)
    expected = np.sqrt(np.diag(SLOPE @ np.cov(posterior.samples.T) @ SLOPE.T))
    assert np.allclose(outputs.std(axis=0), expected, rtol=0.1)
    assert np.allclose(noisy.std(axis=0), np.hypot(expected, 0.3), rtol=0.1)


def test_what_can_not_be_is_refused():
    with pytest.raises(gofh.ArgumentError, match="the prior of 'a' is 'gauss'"):
        linear_study(prior={"a": "gauss"})
    with pytest.raises(gofh.ArgumentError, match="a prior of 'z', which is no parameter: there are a, b"):
        linear_study(prior={"z": "uniform"})
    study = gofh.Study("sum((y - o)^2)", BOUNDS, outputs=6, data={"o": OBSERVED})
    study.add([4, 0.4], decay([4, 0.4]))
    with pytest.raises(gofh.ProblemError, match="write the objective as a fit, g={'output': 'data'}.*a study's file does not keep fits"):
        study.posterior()


def test_runs_for_the_posterior_end_when_it_is_certain():
    study = gofh.Study({"y": "o"}, BOUNDS, outputs=6, data={"o": OBSERVED}, sigma={"o": 0.2}, goal="posterior", budget=60)
    study.optimize(decay)
    origins = [trial.origin for trial in study.trials]
    assert "posterior" in origins and set(origins) <= {"design", "posterior"} and len(origins) < 60
    posterior = study.posterior()
    assert np.all(posterior.data_deviation > 0.85 * posterior.deviation)
    with pytest.raises(gofh.ArgumentError, match="unknown goal"):
        gofh.Study({"y": "o"}, BOUNDS, outputs=6, data={"o": OBSERVED}, goal="best")


def test_a_problem_file_has_priors(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(
        "parameters: {a: [0, 9], k: {lower: 0.01, upper: 10, scale: log}}\noutputs: {c: 2}\ndata: {m: {values: [1, 2], sigma: 0.1}}\n"
        "objective: {fit: {c: m}}\nprior: {k: 'lognormal(0.5, 0.01)'}\n"
    )
    with gofh.Study.from_yaml(path) as study:
        for a in np.linspace(0, 9, 5):
            study.add([a, 0.3], [a, 2 * a])
        posterior = study.posterior(1000)
    assert posterior.median[1] == pytest.approx(0.5, rel=0.01)
    assert posterior.deviation[1] == pytest.approx(0.005, rel=0.1)


def test_arviz_takes_the_samples_or_its_absence_is_said(monkeypatch):
    posterior = linear_study(sigma={"o": 0.3}).posterior(500)
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(gofh.MissingError, match="pip install arviz"):
        posterior.to_arviz()
    monkeypatch.undo()
    arviz = pytest.importorskip("arviz")
    data = posterior.to_arviz()
    assert isinstance(data, arviz.InferenceData)
    assert np.array_equal(data.posterior["a"].values[0], posterior.samples[:, 0])


def test_pictures_show_samples_bands_and_data(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    from gofh import plot

    posterior = linear_study(sigma={"o": 0.3}).posterior(1000)
    figure = plot.corner(posterior)
    visible = [axes for axes in figure.axes if axes.get_visible()]
    assert len(visible) == 3
    assert np.array_equal(visible[1].lines[1].get_xdata(), posterior.samples[:, 0])
    figure.savefig(tmp_path / "corner.png")
    figure = plot.predictive(posterior)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["95 % with noise", "95 % of h", "data"]
    assert np.array_equal(figure.axes[0].lines[0].get_ydata(), DATA)
    figure.savefig(tmp_path / "predictive.png")


def test_a_log_likelihood_is_that_of_the_same_fit():
    named = dict(outputs=5, data={"o": DATA}, prior={"a": "normal(0.5, 0.4)", "b": "normal(0.1, 0.3)"})
    study = gofh.Study("-sum((y - o)^2)/(2*0.3^2)", {"a": (-4, 5), "b": (-4, 4)}, sense="maximize", log_likelihood=True, **named)
    for a in np.linspace(-4, 5, 4):
        for b in np.linspace(-4, 4, 4):
            study.add([a, b], SLOPE @ [a, b])
    covariance = np.linalg.inv(SLOPE.T @ SLOPE / 0.3**2 + np.diag([1 / 0.4**2, 1 / 0.3**2]))
    assert np.allclose(study.posterior(8000).deviation, np.sqrt(np.diag(covariance)), rtol=0.06)
    with pytest.raises(gofh.ArgumentError, match="sense='maximize'"):
        gofh.Study("sum(y)", {"a": (0, 1)}, outputs=2, log_likelihood=True)


def test_a_discrepancy_widens_intervals_from_arguments_and_files(tmp_path):
    at, data = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 1.3, 2.1, 2.6, 3.7, 5.3]
    path = tmp_path / "p.yaml"
    path.write_text(f"parameters: {{a: [0, 3]}}\noutputs: {{c: 6}}\ndata: {{m: {{values: {data}, at: {at}, sigma: 0.05, discrepancy: true}}}}\n"
                    "objective: {fit: {c: m}}\n")
    with_one, without = (gofh.Study({"c": "m"}, {"a": (0, 3)}, outputs={"c": 6}, data={"m": data}, sigma={"m": 0.05}, discrepancy=own)
                         for own in ({"m": at}, None))
    deviations = []
    with gofh.Study.from_yaml(path) as from_file:
        for study in (from_file, with_one, without):
            for a in np.linspace(0, 3, 6):
                study.add([a], a * np.array(at))
            posterior = study.posterior(4000)
            deviations.append(posterior.deviation[0])
    assert deviations[0] == deviations[1] > 3 * deviations[2]


def test_choices_have_probabilities():
    stiffness = {"steel": 1.0, "brass": 1.15}
    study = gofh.Study({"y": "o"}, {"x": (0, 2), "metal": list(stiffness), "load": gofh.fixed(1)}, outputs=2, data={"o": [1.0, 1.0]},
                       sigma={"o": 0.2})
    for x in np.linspace(0, 2, 6):
        for number, own in enumerate(stiffness.values()):
            study.add([x, number, 1], [x, x**2 * own])
    posterior = study.posterior(8000)
    u = np.linspace(0, 2, 4001)
    weight = np.array([np.exp(-0.5 * ((u - 1) ** 2 + (u**2 * own - 1) ** 2) / 0.04).sum() for own in stiffness.values()])
    assert posterior.probabilities["metal"]["brass"] == pytest.approx(weight[1] / weight.sum(), abs=0.04)
    assert list(posterior.probabilities) == ["metal"] and posterior.deviation[2] == 0
    lines = str(posterior).splitlines()
    assert lines[2].split() == ["metal", "brass", "-", "-", "-", "-"]
    shares = posterior.probabilities["metal"]
    assert lines[4] == f"metal: steel {100 * shares['steel']:.0f} %, brass {100 * shares['brass']:.0f} %"
    html = posterior._repr_html_()
    assert all(f">{text}<" in html for text in ("97.5 %", "metal", "brass", lines[4])) and "<script" not in html


def test_values_that_are_not_possible_have_the_probability_zero():
    bounds = {"metal": ["steel", "brass", "tin"], "n": range(1, 4), "d": gofh.values([0.1, 0.7]), "s": gofh.grid(0.1, 0.7, 0.1)}
    study = gofh.Study({"y": "o"}, bounds, outputs=4, data={"o": [1.0, 2.0, 0.7, 0.3]}, sigma={"o": 0.01}, budget=0)
    for metal, n, d, s in itertools.product(range(3), range(1, 4), (0.1, 0.7), (0.1, 0.3, 0.7)):
        study.add([metal, n, d, s], [metal, n, d, s])
    found = study.posterior(500).probabilities
    assert found["metal"] == {"steel": 0, "brass": 1, "tin": 0} and found["n"] == {1: 0, 2: 1, 3: 0}
    assert found["d"] == {0.1: 0, 0.7: 1}
    assert list(found["s"].values()) == [0, 0, 1, 0, 0, 0, 0] and list(found["s"]) == pytest.approx(np.arange(1, 8) / 10)


def test_marginals_have_every_value_of_a_discrete_parameter_before_and_after_the_data():
    pytest.importorskip("matplotlib").use("Agg")
    bounds = {"x": (0, 2), "metal": ["steel", "brass", "tin"], "n": range(1, 5)}
    study = gofh.Study({"y": "o"}, bounds, outputs=1, data={"o": [1.0]}, sigma={"o": 0.2}, prior={"n": "normal(4, 1)"})
    for x in np.linspace(0, 2, 6):
        for metal in range(3):
            study.add([x, metal, 1 + (int(5 * x) + metal) % 4], [x])
    posterior = study.posterior(2000)
    _, metal, n = gofh.plot.marginals(posterior).axes

    def bars(line):
        """The heights of the bars of an outline, by where they are."""
        x, y = (np.asarray(values) for values in line.get_data())
        return {(x[i] + x[i + 1]) / 2: y[i] for i in range(0, len(x), 2) if y[i] > 0}

    weights = np.exp(-0.5 * (np.arange(1, 5) - 4.0) ** 2)  # of the normal prior at the values
    for axes, expected, values in ((metal, np.full(3, 1 / 3), range(3)), (n, weights / weights.sum(), range(1, 5))):
        after, before = (bars(line) for line in axes.lines[:2])
        assert list(before.values()) == pytest.approx(expected)
        assert list(before) == pytest.approx(list(values), abs=0.1) and before.keys() == after.keys()
        assert sum(after.values()) == pytest.approx(1)
    assert [text.get_text() for text in metal.get_xticklabels()] == ["steel", "brass", "tin"]
    labels = [text.get_text() for axes in gofh.plot.corner(posterior).axes[-3:] for text in axes.get_xticklabels()]
    assert "tin" in labels


def test_a_posterior_can_be_pickled_without_its_study():
    pytest.importorskip("matplotlib").use("Agg")
    study = gofh.Study({"y": "o"}, {"x": (0, 2), "metal": ["steel", "brass"]}, outputs=1, data={"o": [1.0]}, sigma={"o": 0.2})
    for x in np.linspace(0, 2, 6):
        for metal in range(2):
            study.add([x, metal], [x + 0.1 * metal])
    posterior = study.posterior(400)
    copy = pickle.loads(pickle.dumps(posterior))
    assert copy.study is None and np.array_equal(copy.samples, posterior.samples)
    assert str(copy) == str(posterior) and copy.summary == posterior.summary
    assert copy.probabilities == posterior.probabilities and "brass" in copy.probabilities["metal"]
    for needs in (copy.predictive, lambda: gofh.plot.corner(copy), lambda: gofh.plot.marginals(copy)):
        with pytest.raises(gofh.ArgumentError, match="stays behind when a posterior is pickled"):
            needs()
    with pytest.raises(gofh.ArgumentError, match="is no posterior: study.posterior\\(\\) is one"):
        gofh.plot.corner(study)
