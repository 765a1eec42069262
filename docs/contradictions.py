#!/usr/bin/env python3
"""Writes contradictions.md: the studies whose group is "contradictions", with the verdicts of measurements/contradictions.json.

    docs/contradictions.py                               after a change of a study
    docs/contradictions.py --measured PROGRAM [NAME...]  after runs, of these studies or all: takes the verdicts anew,
                                                         by `PROGRAM study show NAME --json`

A study keeps the verdicts that it has if the runs here would leave one of its claims without.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import textwrap
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "measurements" / "contradictions.json"
HEAD = """\
Public statements that contradict each other. Each is a [study](../studies/README.md): \
`ciphermeter study run NAME` measures it, `ciphermeter study show NAME --all` has every ratio, interval and remark. Words are \
ours, figures as printed. "Here" is {machine}, {date}; "excluded" are samples beside which other work ran. After a verdict \
comes the claim's ratio; of "faster", how many times as fast. A stated ratio holds within 25 % (10 % where it is near 1), \
and "faster" beyond 5 %. [contradictions.py](contradictions.py) writes this page \
from them and [their runs](measurements/contradictions.json)."""
WORDS = {
    "supported": "holds",
    "contradicted": "does not hold",
    "inconclusive": "too close to tell",
    "not-measured": "not measured yet",
    "not-applicable": "not about this machine",
    "wrong-output": "wrong output",
}


def studies():
    """Those that are contradictions, by name."""
    files = sorted((HERE.parent / "studies").glob("*/study.toml"))
    read = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return [study for study in read if study.get("group") == "contradictions"]


def ratio(pair):
    return pair["measured"] and [round(pair["measured"][key], 4) for key in ("mid", "low", "high")]


def stands(claim):
    """A claim's verdict, and the ratios that it rests on."""
    answer = claim["as_published"]
    pairs = [ratio(pair) for pair in answer["pairs"] if pair["measured"]]
    return {"verdict": claim["verdict"], "ratios": pairs if answer["run"] else []}


def measured(program, study):
    """What its runs came to; None without one."""
    words = [program, "study", "show", study["name"], "--json"]
    ended = subprocess.run(words, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if not ended.stdout.startswith("{"):
        sys.exit(f"`{' '.join(words)}` ended with {ended.returncode}: {ended.stderr.strip()}")
    shown = json.loads(ended.stdout)["studies"][0]
    used = {claim["as_published"]["run"] for claim in shown["claims"]} - {None}
    if not used:
        return None
    runs = [run for measure in shown["measures"] for run in measure["runs"] if run["id"] in used]
    return {
        "machine": shown["answer"]["measured_on"],
        "date": max(run["started"] for run in runs)[:10],
        "excluded": shown["answer"]["rests_on"]["excluded"],
        "claims": {claim["id"]: stands(claim) for claim in shown["claims"]},
    }


def figure(stood):
    """`, 1.90×`: the ratio of each pair, or of many the least and the greatest."""
    mids = [pair[0] for pair in stood["ratios"]]
    shown = [f"{mid:.2f}×" if mid < 9.995 else f"{mid:.1f}×" for mid in mids]
    if len(set(shown)) > 2:
        by_size = sorted(zip(mids, shown, strict=True))
        return f", {by_size[0][1]} to {by_size[-1][1]}"
    return "".join(f", {one}" for one in dict.fromkeys(shown))


def word(claim, stood):
    """The verdict in a word: a stated ratio that is not met may be exceeded, which is no contradiction of its side."""
    expected = claim.get("expect", {})
    mids = [pair[0] for pair in stood["ratios"]]
    published = expected.get("published", 0) if expected.get("is") == "time-ratio" else 0
    if stood["verdict"] == "contradicted" and mids and published > 1.1:
        if all(mid > published for mid in mids):
            return "more than that"
        if all(1.05 < mid < published for mid in mids):
            return "less than that"
    return WORDS[stood["verdict"]]


def place(came_to):
    """Where and when a study was measured; which instructions were disabled is said by its claims."""
    machines = came_to["machine"].split("; ")
    whole = [machine for machine in machines if "--cpu" not in machine]
    return (whole or machines)[0], came_to["date"]


def usual(kept):
    """Where most of it was measured, and when: the head says that once."""
    places = [place(came_to) for came_to in kept.values()]
    return max(places, key=places.count, default=("", ""))


def section(study, kept, known):
    """A study: both sides, what decides it, how its claims stand."""
    items = [f"[{side['source']}]({side['url']}): {side['says']}." for side in study["sides"]]
    items.append(f"**Decided by** {study['decides']}.")
    items.append(f"**Measured here**: {study['differs']}.")
    if kept is None:
        items.append("**Here**: not measured yet.")
    else:
        notes = [] if place(kept) == known else [*place(kept)]
        notes += [f"{kept['excluded'] * 100:.0f} % excluded"] if kept["excluded"] else []
        here = f"**Here** ({', '.join(notes)})" if notes else "**Here**"
        stood = [(claim, kept["claims"][claim["id"]]) for claim in study["claims"]]
        tested = [(claim, one) for claim, one in stood if one["verdict"] != "not-tested"]
        said = [f"{claim['says']}: **{word(claim, one)}**{figure(one)}" for claim, one in tested]
        items.append(f"{here}: {'; '.join(said)}.")
        untested = [(claim["says"], claim["needs"]) for claim, one in stood if one["verdict"] == "not-tested"]
        # What a colon parts from the rest is the command.
        items += [f"Not tested, needs {needs.split(': ')[0]}: {says}." for says, needs in untested]
    wrap = textwrap.TextWrapper(120, initial_indent="- ", subsequent_indent="  ", break_long_words=False)
    wrap.break_on_hyphens = False
    return f"## `{study['name']}`: {study['title']}\n\n" + "\n".join(wrap.fill(item) for item in items)


def loses(before, after):
    """The claims that had a verdict and would have none."""
    def has_none(one):
        return one["verdict"] in {"not-measured", "not-tested"}

    claims = before["claims"].items() if before else []
    return [name for name, one in claims if not has_none(one) and has_none(after["claims"].get(name, one))]


def measured_again(program, all_studies, names, kept):
    """The verdicts, those of these studies taken anew."""
    unknown = set(names) - {study["name"] for study in all_studies}
    if unknown:
        known = ", ".join(study["name"] for study in all_studies)
        sys.exit(f"no contradiction is called {', '.join(sorted(unknown))}; there are {known}")
    for study in [study for study in all_studies if not names or study["name"] in names]:
        name, came_to = study["name"], measured(program, study)
        lost = came_to and loses(kept.get(name), came_to)
        if lost:
            print(f"{name} is kept: here, {', '.join(lost)} would be without a verdict", file=sys.stderr)
        elif came_to:
            kept[name] = came_to


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--measured", metavar="PROGRAM")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "contradictions.md")
    options = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    all_studies = studies()
    if options.measured:
        measured_again(options.measured, all_studies, options.names, kept)
        stood = {name: json.dumps(kept[name], ensure_ascii=False, sort_keys=True) for name in sorted(kept)}
        lines = [f'"{name}": {one}' for name, one in stood.items()]
        KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    elif options.names:
        parser.error("a NAME needs --measured PROGRAM")
    known = usual(kept)
    head = HEAD.format(machine=known[0], date=known[1])
    head = textwrap.fill(head, 120, break_long_words=False, break_on_hyphens=False)
    sections = [section(study, kept.get(study["name"]), known) for study in all_studies]
    options.output.write_text("\n\n".join(["# Contradictions", head, *sections]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
