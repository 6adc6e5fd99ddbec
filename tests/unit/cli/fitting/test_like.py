"""``--like MODEL``: a saved model's learner and table for other rows; what is typed goes first."""

from pathlib import Path

import pytest
from unit.cli.tables import write_parts
from unit.cli.test_python_lines import executed
from unit.cli.typed import run

import treewright as tw


@pytest.fixture(scope="module")
def here(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("like")
    write_parts(folder)
    codes = ["code;size;kind", *(f"0{i % 3};{i % 7};{'ab'[i % 2]}" for i in range(40))]
    (folder / "codes.csv").write_text("\n".join(codes) + "\n", encoding="utf-8")
    line = "fit codes.csv --kind code=text -a cart --out codes.tw --no-check -q"
    assert run(line, here=folder).code == 0
    return folder


def grown(line: str, here: Path) -> object:
    """The model of a fit that is like another."""
    done = run(f"{line} --no-check --out made.tw -q --force", here=here)
    assert (done.code, done.err) == (0, "")
    return tw.load(here / "made.tw")


def test_the_same_table_gives_the_same_bytes(here: Path) -> None:
    done = run("fit train.csv --like risk.tw --no-check --out again.tw --width 80", here=here)
    assert done.code == 0
    assert done.err.splitlines()[0] == (
        "note: left out, not of the model: customer              (--use NAMES)"
    )
    assert (here / "again.tw").read_bytes() == (here / "risk.tw").read_bytes()


def test_parameters_target_columns_and_task_are_those_of_the_model(here: Path) -> None:
    odd = "fit train.csv -t outcome -a cart --set max_depth=3 --set criterion=entropy --seed 7"
    assert run(f"{odd} --ignore age,months --no-check --out odd.tw -q", here=here).code == 0
    model = grown("fit test.csv --like odd.tw", here)
    assert type(model) is tw.CARTClassifier
    assert (model.max_depth, model.criterion, model.random_state) == (3, "entropy", 7)
    assert model.feature_names_in_.tolist() == tw.load(here / "odd.tw").feature_names_in_.tolist()
    assert "age" not in model.feature_names_in_
    assert tw.persist.describe(here / "made.tw").remembered["target"] == "outcome"


def test_what_is_typed_goes_first(here: Path) -> None:
    line = "fit test.csv --like risk.tw --set max_depth=2 --seed 3 --ignore age --use customer"
    done = run(f"{line} --no-check --out typed.tw -q", here=here)
    model = tw.load(here / "typed.tw")
    assert done.code == 0
    assert (model.max_depth, model.random_state, model.min_samples_leaf) == (2, 3, 5)
    assert "age" not in model.feature_names_in_
    assert "customer" in model.feature_names_in_
    numbers = "fit test.csv --like risk.tw --target amount -a m5 --ignore age"
    model = grown(numbers, here)
    assert type(model) is tw.M5Regressor
    assert not {"amount", "age", "outcome"} & set(model.feature_names_in_)


def test_another_algorithm_has_its_own_parameters_and_says_so(here: Path) -> None:
    line = "fit test.csv --like risk.tw -a c45 --no-check --out c45.tw --json"
    done = run(line, here=here)
    assert done.document["notes"][0]["message"] == (
        "c45 has its own parameters, not those of risk.tw"
    )
    assert done.document["result"]["model"]["algorithm"] == "C45Classifier"


def test_columns_are_read_as_the_model_has_them(here: Path) -> None:
    model = grown("fit codes.csv --like codes.tw", here)
    assert [spec.kind for spec in model.tree_.schema.sources] == ["nominal", "numeric"]


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (
            "fit train.csv --like risk.tw --target income",
            1,
            "error: risk.tw predicts classes; 'income' has numbers, 552.72 to 9039.97\n"
            "  Hint: --target with a column of classes, or --algorithm NAME\n",
        ),
        (
            "fit example:iris --like risk.tw",
            1,
            "error: no column 'outcome' in example:iris: it is the target of risk.tw\n",
        ),
        (
            "fit codes.csv --like risk.tw --target kind",
            1,
            "error: codes.csv lacks 14 columns of risk.tw: 'age', 'education', 'employment',\n"
            "  'years_employed', 'income' and 9 more\n"
            "  3 columns: code, size, kind\n"
            "  Hint: --ignore NAMES learns without them\n",
        ),
        ("fit test.csv --like test.csv", 1, "error: test.csv is no model\n"),
        ("fit test.csv --like rsk.tw", 1, "error: no file 'rsk.tw' here\n  Hint: risk.tw\n"),
        (
            "fit test.csv --like tree.tw",
            2,
            "error: tree.tw is a Tree; --like needs a model that was fitted, with its\n"
            "  parameters\n  Hint: --algorithm NAME; treewright help algorithms lists them\n",
        ),
        ("fit test.csv --like risk.tw --set max_dept=2", 2, "tree has no parameter 'max_dept'"),
    ],
)
def test_what_does_not_fit_is_told(here: Path, line: str, code: int, said: str) -> None:
    tw.save(tw.load(here / "risk.tw").tree_, here / "tree.tw")
    done = run(f"{line} --no-check --out x.tw", here=here)
    assert said in done.err
    assert done.code == code


def test_evaluate_and_compare_judge_a_learner_like_the_model(here: Path) -> None:
    alike = run("evaluate test.csv --like risk.tw --folds 3 --json", here=here).document
    usual = run("evaluate test.csv -t outcome --folds 3 --json", here=here).document
    assert alike["result"]["metrics"] == usual["result"]["metrics"]
    done = run("compare test.csv c45 --like risk.tw --folds 3 --json", here=here)
    names = [each["name"] for each in done.document["result"]["learners"]]
    assert names == ["risk.tw", "c45"]
    assert done.document["result"]["learners"][0]["algorithm"] == "DecisionTreeClassifier"


def test_tune_begins_from_the_parameters_of_the_model(here: Path) -> None:
    told = run("tune codes.csv --like codes.tw --python", here=here).out
    assert told.startswith("import treewright as tw\nfrom sklearn.base import clone\n")
    assert 'tw.evaluate.tune(clone(tw.load("codes.tw"))' in told


@pytest.mark.parametrize(
    "line",
    [
        "fit codes.csv --like codes.tw --folds 3 --out x.tw",
        "fit test.csv --like risk.tw --set max_depth=2 --seed 3 --no-check --out x.tw",
        "fit codes.csv --like codes.tw --order code=02,01,00 --no-check --out x.tw",
    ],
)
def test_the_lines_of_python_write_the_same_bytes(here: Path, line: str) -> None:
    told = run(f"{line} --python", here=here)
    assert (told.code, max(map(len, told.out.splitlines())) <= 80) == (0, True)
    assert run(f"{line} -q", here=here).code == 0
    by_command = (here / "x.tw").read_bytes()
    (here / "x.tw").unlink()
    executed(told.out, here)
    assert (here / "x.tw").read_bytes() == by_command
