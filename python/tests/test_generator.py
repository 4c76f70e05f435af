"""gofh as a generator of gest-api, alone and driven by libEnsemble."""
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
    generator = Generator(vocs(observables=["v", "w"], constants={"material": "oak"}), "v^2 + w^2", budget=20)
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
