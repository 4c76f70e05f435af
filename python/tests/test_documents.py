"""What is written down works: examples of docstrings, of docs/python.md, and whole ones; and the
types."""
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import gofh

MODULES = ["gofh"] + [f"gofh.{module.name}" for module in pkgutil.iter_modules(gofh.__path__) if module.name != "_gofh"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_main_functions_have_examples():
    finder = doctest.DocTestFinder()
    for thing in (gofh.minimize, gofh.maximize, gofh.Study):
        assert any(found.examples for found in finder.find(thing)), thing


@pytest.mark.parametrize("example", sorted((ROOT / "python" / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_whole_examples(example, tmp_path):
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document, least", [("README.md", 1), ("docs/python.md", 10), ("docs/coming_from.md", 4)])
def test_the_examples_of_the_documentation(document, least, tmp_path, monkeypatch):
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    if problem := re.search(r"```yaml\n(.*?)```", text, re.DOTALL):
        (tmp_path / "problem.yaml").write_text(problem[1])
    names = {"__name__": "documentation"}
    assert len(blocks) >= least
    for number, block in enumerate(blocks, 1):
        if "plot" in block or "report()" in block:
            pytest.importorskip("matplotlib").use("Agg")
        if "scipy" in block:
            pytest.importorskip("scipy")
        exec(compile(block, f"{document}, example {number}", "exec"), names)


def test_the_types_are_complete():
    pytest.importorskip("mypy")  # it looks at the package and at typed.py
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir",
                           ROOT / "build" / "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_everything_public_is_documented():
    for name in gofh.__all__:
        thing = getattr(gofh, name)
        assert thing.__doc__, name
        for method in vars(thing) if isinstance(thing, type) else []:
            assert method.startswith("_") or vars(thing)[method].__doc__ or thing.__name__ != "Study", method
    assert Path(gofh.__file__).with_name("py.typed").exists()


def test_sources_that_are_not_compiled_say_what_to_do():
    done = subprocess.run([sys.executable, "-c", "import gofh"], cwd=ROOT / "python", capture_output=True, text=True)
    assert "install it by pip install . in the folder above, and start Python in another one" in done.stderr


def test_the_help_of_settings_has_all_of_them_with_their_defaults():
    text = " ".join(gofh.Settings.__doc__.split())
    assert all(f"``{name}``" in text for name in gofh.Settings.__annotations__)
    defaults = gofh._gofh.default_settings()
    assert f"no limit; default {defaults['budget']} " in text and f"same run; default {defaults['seed']} " in text
    assert all(f"``{name}``" in text for name in defaults if name != "noise")
