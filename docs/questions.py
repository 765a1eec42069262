#!/usr/bin/env python3
"""Asks the questions of questions.toml on this machine, and writes the answers to questions.md.

    docs/questions.py CIPHERMETER [--budget TIME] [--output FILE]

Workers are those of this repository (`make` builds them), unless $CIPHERMETER_WORKERS names others. The runs are kept in a
store of their own, so none that is older answers, and deleted with it. `--budget` is the most time for each command, in
place of those of questions.toml, which come to some twelve minutes at most.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import textwrap
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
USUAL = "25s"
SAYS = "ciphermeter: "
HEAD = """\
Questions as people ask them, each with the command that answers it on your machine, and what it said here: {machine}, \
on {day}. [questions.py](questions.py) runs the commands of [questions.toml](questions.toml), each for at most {most}, \
and writes this page. Quoted sentences are the program's own; ± is a 95 % interval. The screen of a command has more: the lines for a program, costs, conditions."""


def listed():
    return tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))["question"]


def asked(binary, question, budget, environment):
    """The document of a question's command; a string if there is none: why."""
    words = [binary, *shlex.split(question["run"]), "--budget", budget, "--json", "-"]
    ended = subprocess.run(
        words, check=False, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    # What decides nothing has a document, too.
    if ended.stdout.startswith("{"):
        return json.loads(ended.stdout)
    errors = [line.removeprefix(SAYS) for line in ended.stderr.splitlines() if line.startswith(SAYS)]
    return errors[0] if errors else f"it ended with {ended.returncode}"


def quoted(question, document):
    """The sentences of an answer that the page shows."""
    answer = document["answer"]
    count = question.get("sentences", 1) if answer["answered"] else 2
    # A cost or a gain stands beside the decision, whether that is one or not.
    marks, rest = question.get("notes", []), answer["sentences"][count:] + answer["notes"]
    return answer["sentences"][:count] + [said for said in rest if any(mark in said for mark in marks)]


def paragraph(text, bar=""):
    wrap = textwrap.TextWrapper(120, initial_indent=bar, subsequent_indent=bar, break_long_words=False)
    wrap.break_on_hyphens = False
    return wrap.fill(text)


def section(question, document, budget):
    """A question, its command, and what became of that."""
    parts = [f"## {question['ask']}"]
    if "run" in question:
        parts += [f"```\nciphermeter {question['run']}\n```"]
        sentences = [] if isinstance(document, str) else quoted(question, document)
        if sentences:
            parts += [paragraph(" ".join(sentences), "> ")]
        else:
            why = document if isinstance(document, str) else f"it takes more than {budget}"
            parts += [paragraph(f"Not answered here: {why}.")]
    parts += [paragraph(question["says"])] if "says" in question else []
    parts += [paragraph(f"Not measured: {question['missing']}")] if "missing" in question else []
    return "\n\n".join(parts)


def page(binary, questions, budget):
    """All of it; the head names the machine as the first answer does."""
    head, sections, undecided = None, [], []
    with tempfile.TemporaryDirectory() as folder:
        workers = {"CIPHERMETER_WORKERS": str(HERE.parent / "workers")}
        environment = workers | os.environ | {"CIPHERMETER_STORE": str(pathlib.Path(folder) / "runs.db")}
        for question in questions:
            most = budget or question.get("budget", USUAL)
            print(f"{question['ask']} (at most {most})", file=sys.stderr)
            document = asked(binary, question, most, environment) if "run" in question else None
            if head is None and isinstance(document, dict) and "run" in document:
                day = document["run"]["started"][:10]
                head = HEAD.format(machine=document["answer"]["measured_on"], day=day, most=budget or "90s")
            sections.append(section(question, document, most))
            if "run" in question and not (isinstance(document, dict) and document["answer"]["answered"]):
                undecided.append(question["ask"])
    if head is None:
        sys.exit("no command has measured anything: `ciphermeter doctor` shows why")
    for ask in undecided:
        print(f"no answer: {ask} Use a quieter machine, or a longer --budget.", file=sys.stderr)
    return "\n\n".join(["# Questions", paragraph(head), *sections]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--budget")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "questions.md")
    options = parser.parse_args()
    if not options.binary.is_file():
        parser.error(f"there is no program {options.binary}: build it with cargo build --release")
    text = page(str(options.binary.resolve()), listed(), options.budget)
    options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
