"""The machines of a call: who they are, what becomes of each, and what is said of it."""

from __future__ import annotations

import re
import sys
from typing import Any

from .problem import Problem, clean
from .scenario import Scenario
from .state import DONE, LOST, PENDING, RUNNING, Call, Member, State, now

_HEX = re.compile(r"[0-9a-f]+")
_ODD = re.compile(r"[^A-Za-z0-9_.@:-]+")


def tell(text: str) -> None:
    """Progress goes to standard error."""
    print(text, file=sys.stderr, flush=True)


class Members:
    """Every machine of a call, written down at each change."""

    def __init__(self, state: State, scenario: Scenario) -> None:
        self._state = state
        before = state.calls.get(scenario.hash)
        self.call = Call(scenario.name, now(), [], before.done if before else [])
        self.scenario = scenario
        # The latest call stands last.
        state.calls.pop(scenario.hash, None)
        state.calls[scenario.hash] = self.call

    def add(self, name: str) -> Member:
        """A machine that is expected, or that came by itself; its name is one that no other has."""
        wanted, number = name, 1
        while any(member.name == name for member in self.call.members):
            number += 1
            name = f"{wanted}-{number}"
        member = Member(name)
        self.call.members.append(member)
        self._become(member, PENDING)
        return member

    def know(self, member: Member, facts: dict[str, Any]) -> None:
        """Notes what a machine says of itself; raises what is wrong with it."""
        if "problem" in facts:
            raise Problem(clean(facts["problem"]))
        member.machine, member.binary = _hex(facts, "machine", 32), _hex(facts, "binary", 64)
        member.version = clean(facts.get("version", ""), 60)
        for other in self.call.members:
            if other is not member and other.machine == member.machine:
                raise Same(other.name)
        differs = next((other for other in self.call.members if other.binary not in ("", member.binary)), None)
        if differs:
            tell(
                f"{member.name}: its ciphermeter, {code(member)}, is another one than {code(differs)} of {differs.name}"
            )

    def running(self, member: Member) -> None:
        tell(f"{member.name}: measures {self.scenario.name} with ciphermeter {code(member)}")
        self._become(member, RUNNING)

    def done(self, member: Member, run: int, started: str, how: str = "done") -> None:
        member.run, member.started = run, started
        self.call.finish(member)
        tell(f"{member.name}: {how}, run {run}")
        self._become(member, DONE)

    def note(self, member: Member, text: str) -> None:
        """Something about a machine that is done."""
        tell(f"{member.name}: {text}")
        self._become(member, member.state, text)

    def forget(self, member: Member) -> None:
        """Takes out a worker that is no machine of its own."""
        self.call.members.remove(member)
        self._state.write()

    def lose(self, member: Member, reason: str) -> None:
        if member.state in (DONE, LOST):
            return
        tell(f"{member.name}: lost: {reason}")
        self._become(member, LOST, reason)

    def open(self) -> list[Member]:
        """Those of which the end is not known."""
        return [member for member in self.call.members if member.state in (PENDING, RUNNING)]

    def of(self, *states: str) -> list[Member]:
        return [member for member in self.call.members if member.state in states]

    def binaries(self) -> dict[str, list[Member]]:
        """The machines by their binaries."""
        found: dict[str, list[Member]] = {}
        for member in self.of(DONE):
            found.setdefault(member.binary, []).append(member)
        return found

    def _become(self, member: Member, state: str, reason: str = "") -> None:
        member.become(state, reason)
        self._state.write()


class Same(Problem):
    """A machine that is another one's worker, too."""

    def __init__(self, other: str) -> None:
        super().__init__(f"it has the machine id of {other}: make one of its own with `systemd-machine-id-setup`")


def code(member: Member) -> str:
    """Which binary a machine has, for people."""
    return f"{member.version} (sha256 {member.binary[:12]})"


def name_of(said: object) -> str:
    """A machine's name made of what it says, which may be anything."""
    return _ODD.sub("-", clean(said, 60)).strip("-.=") or "machine"


def _hex(facts: dict[str, Any], name: str, digits: int) -> str:
    found = facts.get(name)
    if not isinstance(found, str) or len(found) != digits or not _HEX.fullmatch(found):
        raise Problem(f"it does not say which {name} it has; see that both ends have the same ciphermeter-fleet")
    return found
