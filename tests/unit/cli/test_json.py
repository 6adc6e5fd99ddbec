"""``--json``: the documents have the keys that the help promises, and nothing beside them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from unit.cli.typed import run

import treewright.cli
from treewright.cli.help.topics import ERROR_CODES, RESULT_KEYS

LINES = {
    "info": "info loans.csv",
    "info of a model": "info loans.tw",
    "fit": "fit example:play_tennis -a id3 --no-check --out {made}.tw",
    "tune": "tune example:iris -a cart --folds 2 --out {made}.tw",
    "prune": "prune tennis.tw --out {made}.tw",
    "show": "show tennis.tw",
    "show --out": "show tennis.tw --out {made}.svg",
    "why": "why tennis.tw",
    "rules": "rules tennis.tw",
    "rules --formula": "rules tennis.tw --formula",
    "explain": "explain tennis.tw example:play_tennis --row 1",
    "consult": "consult tennis.tw Outlook=Rain Wind=Weak",
    "diff": "diff tennis.tw d15.tw --data example:play_tennis --at-most changed=1",
    "evaluate": "evaluate tennis.tw example:play_tennis --at-least accuracy=0",
    "compare": "compare example:play_tennis id3 tree --folds 2",
    "report": "report example:play_tennis --out {made}.html",
    "predict --out": "predict tennis.tw example:play_tennis --out {made}.csv",
    "export": "export tennis.tw --out {made}.py",
    "verify": "verify tennis.tw {made}.py",
    "convert": "convert tennis.tw {made}.json",
}


def document(command: str, folder: Path, grown: Path) -> Any:
    """The document of a command, in the folder of the walk-throughs."""
    made = folder / "made"
    if command == "verify":
        assert run(f"export tennis.tw --out {made}.py -q", here=grown).code == 0
    done = run(LINES[command].format(made=made) + " --json", here=grown)
    assert (done.code, done.err) == (0, "")
    return done.document


@pytest.mark.parametrize("command", RESULT_KEYS)
def test_a_result_has_the_keys_that_the_help_promises(
    command: str, tmp_path: Path, grown: Path
) -> None:
    found = document(command, tmp_path, grown)
    assert found["ok"]
    assert found["command"] == command.split()[0]
    assert set(found["result"]) == set(RESULT_KEYS[command])
    assert command in run("help json").out


def test_counts_are_whole(tmp_path: Path, grown: Path) -> None:
    evaluated = document("evaluate", tmp_path, grown)["result"]
    assert all(type(each) is int for row in evaluated["confusion"]["counts"] for each in row)
    (first, *_) = document("rules", tmp_path, grown)["result"]["rules"]
    assert (type(first["rows"]), type(first["right"])) == (int, int)
    assert document("why", tmp_path, grown)["result"]["counts"] == {"No": 5, "Yes": 9}
    step = document("explain", tmp_path, grown)["result"]["path"][0]
    assert all(type(each) is int for each in step["counts"])


def test_parameters_are_values_not_their_python(tmp_path: Path, grown: Path) -> None:
    parameters = document("info of a model", tmp_path, grown)["result"]["parameters"]
    assert parameters["criterion"] == "gini"
    assert parameters["min_samples_leaf"] == 5
    assert parameters["max_depth"] is None
    assert parameters["prune"].startswith("CostComplexity(")


def test_steps_are_for_people(tmp_path: Path) -> None:
    done = run("fit example:play_tennis -a id3 --no-check --steps --json", here=tmp_path)
    assert done.document["result"]["file"] == "play_tennis.tw"


def test_the_help_lists_every_code_of_an_error() -> None:
    folder = Path(treewright.cli.__file__).parent
    text = "".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.py"))
    used = set(re.findall(r'Failure\(\s*code="([a-z-]+)"', text))
    used |= set(re.findall(r'code="([a-z-]+)",\s*(?:hint|parameter)=', text))
    assert used - {"x"} <= set(ERROR_CODES)
    assert list(ERROR_CODES) == sorted(ERROR_CODES)
    told = run("help errors").out.split()
    assert set(ERROR_CODES) <= {word.rstrip(",") for word in told}


@pytest.mark.parametrize("learner", ["tree --set calibrate=isotonic", "c45rules"])
def test_an_explanation_ends_in_what_is_predicted(learner: str, tmp_path: Path) -> None:
    assert run(f"fit example:iris -a {learner} --no-check --out made.tw", here=tmp_path).code == 0
    model, iris = treewright.load(tmp_path / "made.tw"), treewright.load_example("iris")
    for row in (1, 71, 107, 120, 134):
        line = f"explain made.tw example:iris --row {row}"
        found = run(f"{line} --json", here=tmp_path).document["result"]
        one = iris.X.rows([row - 1])
        assert found["prediction"] == model.predict(one)[0]
        assert list(found["probabilities"].values()) == model.predict_proba(one)[0].tolist()
        told = run(line, here=tmp_path).out.splitlines()[0]
        assert told.strip().startswith(found["prediction"])
        assert ("calibrated" in told) == ("calibrate" in learner)
        assert ("by the rules made of the tree" in told) == ("rules" in learner)
