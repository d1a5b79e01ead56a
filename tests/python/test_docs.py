"""Every example that a person may copy."""
import doctest
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest
import rhc

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENTED = {"rhc": rhc} | {name: getattr(rhc, name) for name in rhc.__all__}


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_code_blocks_run(page, tmp_path, monkeypatch, program):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    # The run that the page speaks of.
    subprocess.run([program, "explore", "pendulum", "--quiet", "--episodes", "2", "--no-evaluation"], check=True)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("name", [name for name, what in DOCUMENTED.items() if ">>>" in (what.__doc__ or "")])
def test_docstrings_tell_the_truth(name):
    test = doctest.DocTestParser().get_doctest(DOCUMENTED[name].__doc__, {"rhc": rhc}, name, None, None)
    told = []
    doctest.DocTestRunner().run(test, out=told.append)
    assert test.examples and not told, "".join(told)


@pytest.mark.parametrize("script, says", [("examples/gymnasium_pendulum.py", "one-step error: 0.0"),
                                          ("examples/gymnasium_control.py", "upright for the last "),
                                          ("bench/python_overhead.py", "cartpole: ")])
def test_scripts_run(script, says):
    told = subprocess.run([sys.executable, ROOT / script, "2"], check=True, capture_output=True, text=True).stdout
    assert says in told


def test_types_are_told():
    package = pathlib.Path(rhc.__file__).parent
    assert (package / "py.typed").exists()
    declared = (package / "_core.pyi").read_text()
    array = "numpy.typing.ArrayLike | None = None"
    assert f"def ask(self, start: {array}, done: {array}) -> Proposal" in declared
    assert "def act(self, observation: numpy.typing.ArrayLike) -> " in declared


def test_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert rhc.__version__ == project["version"]
