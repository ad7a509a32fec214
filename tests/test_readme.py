import re
from importlib.util import find_spec
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
SCRIPTS = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.S)


def test_the_readme_has_python_in_it():
    assert len(SCRIPTS) >= 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "script, printed", SCRIPTS, ids=["estimator", "stream", "predictor", "z"]
)
def test_the_readmes_python_prints_what_it_says(
    script, printed, capsys, monkeypatch, tmp_path
):
    if "gluonts.torch" in script and find_spec("torch") is None:
        pytest.skip("torch is not installed here")
    monkeypatch.chdir(tmp_path)

    exec(compile(script, "README.md", "exec"), {})

    assert capsys.readouterr().out == printed
    assert list(tmp_path.iterdir()) == []
