import re
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")


def test_the_readmes_python_prints_what_it_says(capsys):
    scripts = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.S)
    assert scripts

    for script, printed in scripts:
        exec(compile(script, "README.md", "exec"), {})
        assert capsys.readouterr().out == printed
