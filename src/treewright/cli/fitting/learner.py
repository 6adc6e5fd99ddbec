"""What is to be learned, and by what: learner and table of the options, alike in all commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from treewright.cli.algorithms import Choice, check_algorithm, check_settings, check_task
from treewright.cli.data_files import (
    HowToRead,
    LearningTable,
    learning_table,
    read_table,
    with_sample,
    with_schema,
)
from treewright.cli.fitting.costs import costs_of_file
from treewright.cli.fitting.like import Like
from treewright.cli.fitting.model_table import known_rows
from treewright.cli.options import READING
from treewright.cli.session import Session
from treewright.data.column_roles import kinds_to_say


def seed_of(options: Mapping[str, Any]) -> int:
    """Return the seed of folds and of drawn rows: 0 where none was typed."""
    return options["seed"] or 0


def choice_of(session: Session, options: Mapping[str, Any], like: Like | None = None) -> Choice:
    """Return the learner that was typed, or that of the model of ``--like``."""
    typed = options["algorithm"]
    if typed is not None:
        check_algorithm(typed)
    taken = like if like is not None and like.is_taken(typed) else None
    algorithm = typed or "tree" if taken is None else taken.algorithm
    if like is not None and taken is None:
        session.note(
            "parameters-not-taken",
            f"{algorithm} has its own parameters, not those of {like.path}",
        )
    choice = Choice(
        algorithm=algorithm,
        settings=options["settings"],
        seed=options["seed"],
        threads=options["threads"],
        like=taken,
    )
    check_settings(choice)
    return choice


def table_of(
    session: Session, data: str, options: Mapping[str, Any], like: Like | None = None
) -> LearningTable:
    """Return the table to learn from, read as was typed or as that of ``--like`` was."""
    how = with_schema(HowToRead(**{name: options[name] for name in READING}))
    typed = {name: options[name] for name in ("target", "task", "ignore", "use", "weight")}
    typed["groups"] = options.get("groups")
    if like is None:
        raw = read_table(session, data, how)
        kinds = dict(how.kind)
    else:
        raw = read_table(session, data, how, like=like.remembered.reading, kinds=like.kinds)
        kinds = {**kinds_to_say(like.kinds, raw.frame), **dict(how.kind)}
        typed |= like.read_as(raw, typed)
    raw = with_sample(replace(raw, kinds=kinds), options["sample"], seed_of(options))
    table = known_rows(session, learning_table(session, raw, order=how.order, **typed))
    costs = None
    if options["cost"] is not None:
        costs = costs_of_file(options["cost"], table)
    elif like is not None and like.is_taken(options.get("algorithm")):
        costs = like.costs
    return replace(table, costs=costs)


def estimator_of(choice: Choice, table: LearningTable) -> Any:
    """Return the estimator for a table, not fitted; refuse one that cannot learn its target."""
    check_task(choice, table)
    return choice.estimator(table.task, order=table.order, costs=table.costs)
