"""The columns of the tables: each one's type, and where its value stands in the JSON.

`_node` says how such a place is written; where it allows that there is nothing, the column is null. A name that `export
--format csv` has means the same here.
"""

from __future__ import annotations

from collections.abc import Mapping

Columns = Mapping[str, tuple[type, str]]

RUN: Columns = {
    "run": (int, "run/id"),
    "started": (str, "run/started"),
    "status": (str, "run/status"),
    "ciphermeter": (str, "ciphermeter"),
    "method": (int, "run/method"),
    "scenario": (str, "run/scenario/name"),
    "kind": (str, "run/scenario/kind"),
    "title": (str, "run/scenario/title"),
    "budget": (str, "run/scenario/budget"),
    "precision": (str, "run/scenario/precision"),
    "seed": (int, "run/seed"),
    "mask": (str, "run/mask?"),
    "against": (str, "run/against?/old"),
    "threshold": (str, "run/against?/threshold"),
    "measured_on": (str, "answer~/measured_on~"),
    "question": (str, "answer~/question"),
    "answered": (bool, "answer~/answered"),
    "recommended": (str, "answer~/about?/recommended~/algorithm"),
}
# What says which cell it is, in every table of cells and samples.
CELL: Columns = {
    "cell": (int, "id"),
    "provider": (str, "provider"),
    "algorithm": (str, "algorithm"),
    "operation": (str, "operation"),
    "form": (str, "form"),
    "message_bytes": (int, "parameters/message"),
    "aad_bytes": (int, "parameters/aad"),
    "threads": (int, "parameters/threads"),
}
RECORD: Columns = {
    "key_bytes": (int, "parameters/key~"),
    "working_set_bytes": (int, "parameters/working_set~"),
    "keys": (int, "parameters/keys~"),
    "cpus": (int, "parameters/cpus~"),
    "outcome": (str, "outcome/is"),
    "why": (str, "outcome/why~"),
    "worker": (str, "worker?"),
    "runtime": (str, "runtime?"),
    "language": (str, "language~"),
    "version": (str, "version?"),
    "path": (str, "path?"),
    "setup": (str, "setup?"),
    "library": (str, "library?"),
    "sha256": (str, "sha256?"),
    "program": (str, "program?"),
    "range_low_ns": (float, "summary?/range/low"),
    "median_ns": (float, "summary?/range/mid"),
    "range_high_ns": (float, "summary?/range/high"),
    "gb_per_s_low": (float, "summary?/gb_per_s?/low"),
    "gb_per_s_mid": (float, "summary?/gb_per_s?/mid"),
    "gb_per_s_high": (float, "summary?/gb_per_s?/high"),
    "reference": (int, "summary?/reference"),
    "ratio_mid": (float, "summary?/ratio?/mid"),
    "ratio_low": (float, "summary?/ratio?/low"),
    "ratio_high": (float, "summary?/ratio?/high"),
    "speed_up": (float, "summary?/speed_up?/mid"),
    "speed_up_low": (float, "summary?/speed_up?/low?"),
    "speed_up_high": (float, "summary?/speed_up?/high?"),
    "efficiency": (float, "summary?/efficiency?/mid"),
    "converged": (bool, "summary?/converged"),
    "forks": (int, "summary?/forks"),
    "rounds": (int, "summary?/rounds"),
    # Without an interval where forks are few; nothing where a percentile was refused.
    **{
        f"p{name}{column}_ns": (float, f"percentiles?/p{percentile}/{end}")
        for name, percentile in [("50", "50"), ("90", "90"), ("99", "99"), ("999", "99.9")]
        for column, end in [("", "mid~"), ("_low", "low~"), ("_high", "high~")]
    },
    "limit": (str, "split~/limit?"),
    "limit_share": (float, "split~/limit_share?"),
    "j_per_gb": (float, "split~/j_per_gb?/mid"),
    "j_per_gb_low": (float, "split~/j_per_gb?/low?"),
    "j_per_gb_high": (float, "split~/j_per_gb?/high?"),
    "net_j_per_gb": (float, "split~/net_j_per_gb?"),
    "cpu_ns_per_call": (float, "cpu?/mid"),
    "device": (str, "device~/name?"),
    "board": (str, "device~/board?"),
    "emulated": (bool, "device~/emulated?"),
    "counts": (str, "device~/counts?"),
    "count_per_call": (float, "device~/count_per_call?/mid"),
    "count_low": (float, "device~/count_per_call?/low"),
    "count_high": (float, "device~/count_per_call?/high"),
    "stack_bytes": (int, "device~/stack_bytes?"),
    "state_bytes": (int, "device~/state_bytes?"),
    "code_bytes": (int, "device~/code_bytes?"),
    "charge_uc_per_call": (float, "device~/charge_uc_per_call?"),
    "energy_uj_per_call": (float, "device~/energy_uj_per_call?"),
    "active_ma": (float, "device~/active_ma?"),
    "idle_ma": (float, "device~/idle_ma?"),
}
# Of one process that did nothing but a cell's calls.
MEMORY: Columns = {
    "fork": (int, "fork"),
    "iterations": (int, "iterations"),
    "idle_rss": (int, "idle_rss?"),
    "peak_rss": (int, "peak_rss?"),
    "peak_heap": (int, "peak_heap?"),
    "allocated": (int, "allocated?"),
    "counter": (str, "counter?"),
}
FORK: Columns = {"fork": (int, "fork"), "short": (bool, "short")}
# Of each sample, behind its fork; further metrics have columns behind these.
SAMPLE = {"round": int, "turn": int, "after": int, "iterations": int, "disturbed": bool, "ns": int}
# Of single calls.
CALL = {"clock_ns": int, "ns": int, "calls": int}
