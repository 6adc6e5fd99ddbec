"""Check what the folders promise: who includes whom, what files are called, how many and how long.

    python tools/check_includes.py              the C++ half
    python tools/check_includes.py --python     the sizes of the Python half as well

Every rule is one function that yields messages; all messages are printed, and any is a failure.
The order in which Python modules may import each other is checked by import-linter, not here.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "cpp/include/treewright"
SOURCES = ROOT / "cpp/src"
BINDINGS = ROOT / "cpp/bindings"
TESTS = ROOT / "cpp/tests"

MOST_FILES = 20
MOST_LINES = 500
REASON_WITHIN = 15  # lines at the top of a long file that may say why it is long
TEST_HELPERS = {"main.cpp"}  # of cpp/tests, beside its headers

# Which ideas an idea may include, besides itself.
_BELOW_SPLIT = {"base", "data", "criteria"}
_BELOW_GROW = {*_BELOW_SPLIT, "tree", "split", "missing"}
_ENGINES = {*_BELOW_GROW, "grow"}
MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "state": {"base"},
    "data": {"base"},
    "criteria": {"base", "data"},
    "tree": {"base", "data"},
    "split": _BELOW_SPLIT,
    "missing": {*_BELOW_SPLIT, "tree", "split"},
    "grow": _BELOW_GROW,
    "prune": _ENGINES,
    "forest": _ENGINES,
    "boosting": _ENGINES,
    "adaboost": _ENGINES,
}

# Ideas that may see only a part of another, whether they include it themselves or by way of others.
MAY_SEE_ONLY: dict[tuple[str, str], set[str]] = {
    ("criteria", "data"): {"row_targets"},
    ("tree", "data"): {"column", "linear_combination"},
}

# What a fitted model consists of and predicts with. It must see nothing that trains, so that it
# can be shipped alone.
MODELS: dict[str, set[str]] = {
    "forest": {"packed", "packed_questions", "packed_ready", "packed_shape", "packed_walk"},
    "boosting": {"codebook", "tree", "ensemble", "predict64", "shap"},
    "adaboost": {"stump_votes"},
}
MODEL_MAY_SEE = {"base", "data", "tree"}

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
_NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\s+(treewright[\w:]*)\s*{", re.M)


def shown(path: Path) -> str:
    """Return the path as it is printed, from the root of the project."""
    return path.relative_to(ROOT).as_posix()


def files_below(*folders: Path) -> list[Path]:
    """Return the C++ files of some folders, sorted."""
    return sorted(
        path for folder in folders for path in folder.rglob("*") if path.suffix in {".hpp", ".cpp"}
    )


def idea_of(path: Path) -> str:
    """Return the first folder of a header, a source or a test; "" of one above all ideas."""
    for top in (HEADERS, SOURCES, TESTS):
        if path.is_relative_to(top):
            parts = path.relative_to(top).parts
            return parts[0] if len(parts) > 1 else ""
    return ""


@cache
def included(path: Path) -> tuple[str, ...]:
    """Return what a file includes of ours, as written between the quotes."""
    return tuple(_INCLUDE.findall(path.read_text()))


@cache
def headers_included(path: Path) -> tuple[Path, ...]:
    """Return the headers of the core that a file includes itself."""
    return tuple(HEADERS.parent / name for name in included(path) if name.startswith("treewright/"))


def headers_seen(path: Path) -> dict[Path, Path]:
    """Return every header that a file sees, also by way of others, with who includes it."""
    seen: dict[Path, Path] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        for header in headers_included(file):
            if header not in seen and header.exists():
                seen[header] = file
                waiting.append(header)
    return seen


def way_to(header: Path, seen: dict[Path, Path], start: Path) -> str:
    """Return the chain of includes from a file to a header, in words."""
    chain = [header]
    while chain[-1] != start:
        chain.append(seen[chain[-1]])
    return " -> ".join(shown(file) for file in reversed(chain))


def header_named_by(stem: str, folder: Path) -> str | None:
    """Return the header of `folder` that `stem` is called after, as x or as x_<part>."""
    words = stem.split("_")
    for n in range(len(words), 0, -1):
        if (folder / ("_".join(words[:n]) + ".hpp")).exists():
            return "_".join(words[:n])
    return None


def check_includes_exist() -> Iterator[str]:
    """An include that names no file would be found by the compiler only if that file is built."""
    for path in files_below(HEADERS, SOURCES, BINDINGS, TESTS):
        for header in headers_included(path):
            if not header.exists():
                yield f"{shown(path)} includes {shown(header)}, which does not exist."


def check_order() -> Iterator[str]:
    """Data flow one way: base, data, criteria or tree, split, missing, grow, then the rest."""
    for path in files_below(HEADERS, SOURCES):
        idea = idea_of(path)
        if idea not in MAY_INCLUDE:
            yield f"{shown(path)} lies in no known idea. Known are: {', '.join(MAY_INCLUDE)}."
            continue
        for header in headers_included(path):
            other = idea_of(header)
            if other != idea and other not in MAY_INCLUDE[idea]:
                allowed = ", ".join(sorted(MAY_INCLUDE[idea])) or "nothing else"
                yield (
                    f"{shown(path)} includes {shown(header)}, "
                    f"but {idea} may include only {allowed}."
                )


def check_nothing_sees_bindings() -> Iterator[str]:
    """The core and its tests build without Python."""
    for path in files_below(HEADERS, SOURCES, TESTS):
        for name in included(path):
            if "bindings" in name:
                yield f"{shown(path)} includes {name}: only cpp/bindings may see the bindings."
        if re.search(r"#\s*include\s*<nanobind", path.read_text()):
            yield f"{shown(path)} includes nanobind: only cpp/bindings may."


def check_narrow_views() -> Iterator[str]:
    """Some ideas may know only a part of another: a criterion must not see columns."""
    for (idea, other), allowed in MAY_SEE_ONLY.items():
        only = " and ".join(f"{other}/{stem}.hpp" for stem in sorted(allowed))
        told = set()
        for path in files_below(HEADERS / idea, SOURCES / idea):
            seen = headers_seen(path)
            for header, by in sorted(seen.items()):
                is_strange = idea_of(header) == other and header.stem not in allowed
                if not is_strange or idea_of(by) != idea or (header, by) in told:
                    continue  # not ours to mend, or told already
                told.add((header, by))
                yield f"{way_to(header, seen, path)}: of {other}, {idea} may see only {only}."
    for (_, other), allowed in MAY_SEE_ONLY.items():
        for stem in sorted(allowed):
            for header in headers_included(HEADERS / other / f"{stem}.hpp"):
                if idea_of(header) == other and header.stem not in allowed:
                    yield (
                        f"{other}/{stem}.hpp includes {shown(header)}, which those who may see "
                        f"only a part of {other} must not."
                    )


def check_models() -> Iterator[str]:
    """What is left of a model after training sees nothing that trains."""
    for idea, stems in MODELS.items():
        allowed = ", ".join([*sorted(MODEL_MAY_SEE), *sorted(f"{idea}/{stem}" for stem in stems)])

        def may_see(header: Path, idea: str = idea, stems: set[str] = stems) -> bool:
            is_model = header.parent == HEADERS / idea and header.stem in stems
            return is_model or idea_of(header) in MODEL_MAY_SEE

        told = set()
        files = [*(HEADERS / idea).glob("*.hpp"), *(SOURCES / idea).glob("*.cpp")]
        for path in sorted(files):
            if header_named_by(path.stem, HEADERS / idea) not in stems:
                continue
            seen = headers_seen(path)
            for header, by in sorted(seen.items()):
                if may_see(header) or not (by == path or may_see(by)) or (header, by) in told:
                    continue  # allowed, not ours to mend, or told already
                told.add((header, by))
                yield (
                    f"{way_to(header, seen, path)}: {idea}/{path.stem} belongs to the fitted "
                    f"model, which may see only {allowed}."
                )


def check_names() -> Iterator[str]:
    """A source is named after a header of its folder, and so is a test."""
    for path in files_below(SOURCES):
        folder = path.parent.relative_to(SOURCES)
        if header_named_by(path.stem, HEADERS / folder) is None:
            yield (
                f"{shown(path)} is named after no header of {shown(HEADERS / folder)}: "
                "to x.hpp belong x.cpp and x_<part>.cpp."
            )
    for path in files_below(TESTS):
        folder = path.parent.relative_to(TESTS)
        if path.suffix != ".cpp" or (path.parent == TESTS and path.name in TEST_HELPERS):
            continue
        stem = path.stem.removeprefix("test_")
        if stem == path.stem or header_named_by(stem, HEADERS / folder) is None:
            yield (
                f"{shown(path)} is named after no header of {shown(HEADERS / folder)}: "
                "to x.hpp belongs test_x.cpp."
            )
    for path in files_below(BINDINGS):
        idea = path.stem.split("_")[0]
        if path.stem not in {"bindings", "module"} and idea not in MAY_INCLUDE:
            yield f"{shown(path)} is named after no idea: <idea>.cpp or <idea>_<part>.cpp."


def check_namespaces() -> Iterator[str]:
    """Every idea declares in a namespace of its own, base in that of the project."""
    for path in files_below(HEADERS, SOURCES):
        idea = idea_of(path)
        own = "treewright" if idea == "base" else f"treewright::{idea}"
        found = set(_NAMESPACE.findall(path.read_text()))
        for other in sorted(found - {own}):
            yield f"{shown(path)} opens namespace {other}; the files of {idea} declare in {own}."
        if own not in found and not re.search(r"^#define", path.read_text(), re.M):
            yield f"{shown(path)} declares nothing in namespace {own}."


def check_sizes(folders: list[Path], endings: set[str], comment: str) -> Iterator[str]:
    """A folder of more than twenty files holds more than one idea; a long file says why it is."""
    for top in folders:
        for folder in [top, *sorted(path for path in top.rglob("*") if path.is_dir())]:
            files = sorted(path for path in folder.iterdir() if path.suffix in endings)
            n = sum(path.name != "__init__.py" for path in files)
            if n > MOST_FILES:
                yield (
                    f"{shown(folder)} has {n} files; with more than {MOST_FILES} it holds more "
                    "than one idea."
                )
            for path in files:
                lines = path.read_text().splitlines()
                reason = any(
                    line.startswith(f"{comment} Long because") for line in lines[:REASON_WITHIN]
                )
                if len(lines) > MOST_LINES and not reason:
                    yield (
                        f"{shown(path)} has {len(lines)} lines; with more than {MOST_LINES} it "
                        f"needs a cut, or a line '{comment} Long because ...' among the first "
                        f"{REASON_WITHIN}."
                    )


def messages(with_python: bool) -> Iterator[str]:
    """Yield whatever breaks a rule."""
    yield from check_includes_exist()
    yield from check_order()
    yield from check_nothing_sees_bindings()
    yield from check_narrow_views()
    yield from check_models()
    yield from check_names()
    yield from check_namespaces()
    yield from check_sizes([HEADERS, SOURCES, BINDINGS, TESTS], {".hpp", ".cpp"}, "//")
    if with_python:
        yield from check_sizes([ROOT / "src/treewright", ROOT / "tests/unit"], {".py"}, "#")


def main(words: list[str]) -> int:
    """Print what breaks a rule; return 1 if anything does."""
    if set(words) - {"--python"}:
        print(__doc__)
        return 2
    found = list(messages("--python" in words))
    for message in found:
        print(message)
    if found:
        print(f"{len(found)} rule{'s' if len(found) > 1 else ''} of the folders broken.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
