"""gofh as a generator of gest-api, alone and driven by libEnsemble, Xopt and Optimas."""
import numpy as np
import pytest

gest_api = pytest.importorskip("gest_api")
from gest_api.generator import Generator as Interface  # noqa: E402
from gest_api.vocs import VOCS  # noqa: E402

from gofh.generator import Generator  # noqa: E402


def vocs(**named):
    return VOCS(**{"variables": {"a": [0.0, 2.0], "b": [-1.0, 1.0]}, "objectives": {"f": "MINIMIZE"}, **named})


def evaluate(point):
    a, b = point["a"], point["b"]
    return {**point, "v": a - 1.2, "w": b + 0.3 * a, "f": (a - 1.2) ** 2 + (b + 0.3 * a) ** 2}


def test_it_is_a_generator_that_finds_the_minimum_of_a_composite():
    generator = Generator(vocs(observables=["v", "w"], constants={"material": "oak"}), "v^2 + w^2", budget=20,
                          stop="never")
    assert isinstance(generator, Interface) and generator.returns_id
    for _ in range(5):
        points = generator.suggest(4)
        assert [set(p) for p in points] == 4 * [{"a", "b", "material", "_id"}]
        generator.ingest([evaluate(p) for p in points])
    assert np.allclose(generator.study.best().x, [1.2, -0.36], atol=1e-4)
    with pytest.raises(ValueError, match="2 points are asked for, and there are 0: the budget"):
        generator.suggest(2)
    generator.finalize()


def test_without_g_the_objective_is_the_output_and_constraints_hold():
    generator = Generator(vocs(constraints={"w": ["GREATER_THAN", 0.2]}, objectives={"f": "MAXIMIZE"}), budget=30, stop="never")
    for _ in range(10):
        generator.ingest([{**evaluate(p), "f": -evaluate(p)["f"]} for p in generator.suggest(3)])
    best = generator.study.best()
    assert abs(best.f + 0.04) < 1e-3  # at w = 0.2 and v = 0
    assert generator.study.margins(best)["w >= 0.2"] >= 0


def test_results_without_an_id_are_new_and_unknown_ids_are_refused():
    generator = Generator(vocs(observables=["v", "w"]), "v^2 + w^2")
    generator.ingest([evaluate({"a": 1.0, "b": 0.0})])
    assert generator.study.trials[0].imported
    (point,) = generator.suggest()
    with pytest.raises(ValueError, match="_id is 7"):
        generator.ingest([evaluate({**point, "_id": 7})])
    generator.ingest([evaluate(point)])
    with pytest.raises(ValueError, match="_id is 2"):
        generator.ingest([evaluate(point)])
    (point,) = generator.suggest()
    generator.ingest([point])
    assert generator.study.trials[-1].reason == "the result has no v"


def test_what_xopt_has_no_value_for_is_nan():
    """Its results come from a table: an error, or a number of ours, that a row does not have is NaN there."""
    generator = Generator(vocs(observables=["v", "w"]), "v^2 + w^2")
    nan = float("nan")
    generator.ingest([{**evaluate({"a": 1.0, "b": 0.0}), "_id": nan, "xopt_error": nan, "xopt_error_str": nan}])
    generator.ingest([{"a": 0.5, "b": 0.0, "v": nan, "w": nan, "_id": nan, "xopt_error": True, "xopt_error_str": "it diverged"}])
    first, second = generator.suggest(2)
    generator.ingest([
        {**evaluate(first), "_id": float(first["_id"]), "xopt_error": nan, "xopt_error_str": nan},
        {**second, "v": nan, "w": nan, "_id": float(second["_id"]), "xopt_error": True,
         "xopt_error_str": "Traceback:\n  ...\nRuntimeError: diverged\n\n"},
    ])
    assert [(t.imported, t.state) for t in generator.study.trials] == [(True, "done"), (False, "done"), (False, "failed")]
    assert generator.study.trials[2].reason == "RuntimeError: diverged"
    (third,) = generator.suggest()
    generator.ingest([{**third, "v": nan, "w": nan, "xopt_error": True, "xopt_error_str": nan}])
    assert generator.study.trials[3].reason == "it raised"


@pytest.mark.parametrize("wrong, message", [
    ({"objectives": {"f": "MINIMIZE", "h": "MINIMIZE"}}, "2 objectives"),
    ({"objectives": {"f": "EXPLORE"}}, "is EXPLORE"),
    ({"variables": {"a": {1.0, 2.0}}}, "'a' has no bounds"),
])
def test_a_vocs_that_it_can_not_use_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Generator(vocs(**wrong))


def test_libensemble_drives_it(tmp_path, monkeypatch):
    pytest.importorskip("libensemble")
    from libensemble import Ensemble
    from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
    from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

    monkeypatch.chdir(tmp_path)
    described = vocs(observables=["v", "w"])
    generator = Generator(described, "v^2 + w^2", stop="never")
    ensemble = Ensemble(parse_args=False, libE_specs=LibeSpecs(comms="threads", nworkers=2, gen_on_manager=True,
                                                               disable_log_files=True, save_H_on_completion=False))
    ensemble.gen_specs = GenSpecs(generator=generator, vocs=described, initial_batch_size=4, batch_size=2)
    ensemble.sim_specs = SimSpecs(simulator=evaluate, vocs=described)
    ensemble.alloc_specs = AllocSpecs(alloc_f=only_persistent_gens)
    ensemble.exit_criteria = ExitCriteria(sim_max=16)
    ensemble.run()
    done = [trial for trial in generator.study.trials if trial.state == "done"]
    assert len(done) >= 14
    assert generator.study.best().f < 1e-3


def diverges(point):
    if point["a"] < 0.4:
        raise RuntimeError("diverged")
    return {name: value for name, value in evaluate(point).items() if name not in point}


@pytest.mark.filterwarnings("default")  # of its packages
def test_xopt_drives_it_and_its_errors_are_failures():
    pytest.importorskip("xopt")
    from concurrent.futures import ThreadPoolExecutor

    from xopt import Evaluator, Xopt

    generator = Generator(vocs(observables=["v", "w"]), "v^2 + w^2", stop="never")
    with ThreadPoolExecutor(3) as pool:
        driver = Xopt(generator=generator, evaluator=Evaluator(function=diverges, executor=pool, max_workers=3), strict=False)
        driver.evaluate_data({"a": [0.1, 1.0], "b": [0.0, 0.0]})  # points of its own: what failed tells nothing
        for _ in range(8):
            driver.step()
    study = generator.study
    assert driver.generator is generator and len(driver.data) == 26
    assert [t.imported for t in study.trials] == [True] + 24 * [False]
    failed = [t for t in study.trials if t.state == "failed"]
    assert all((t.x[0] < 0.4) == (t.state == "failed") for t in study.trials)
    assert {t.reason for t in failed} <= {"RuntimeError: diverged"} and failed
    assert np.allclose(study.best().x, [1.2, -0.36], atol=1e-4)


def in_optimas(point, answer):
    for name in ("v", "w", "f"):
        answer[name] = evaluate(point)[name]


@pytest.mark.filterwarnings("default")  # of its packages
def test_optimas_drives_it(tmp_path, monkeypatch):
    pytest.importorskip("optimas")
    from optimas.evaluators import FunctionEvaluator
    from optimas.explorations import Exploration
    from optimas.generators import ExternalGenerator

    monkeypatch.chdir(tmp_path)
    described = vocs(observables=["v", "w"])
    generator = Generator(described, "v^2 + w^2", stop="never")
    exploration = Exploration(generator=ExternalGenerator(ext_gen=generator, vocs=described), max_evals=16, sim_workers=2,
                              evaluator=FunctionEvaluator(function=in_optimas), libe_comms="threads",
                              exploration_dir_path=str(tmp_path / "exploration"))
    exploration.run()
    assert len(exploration.history) == 16
    assert [t.state for t in generator.study.trials] == 16 * ["done"]
    assert np.allclose(generator.study.best().x, [1.2, -0.36], atol=1e-4)
