"""`ciphermeter-fleet`: the commands, their options, and what they print."""

from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from . import __version__, commands
from .problem import FINE, INTERRUPTED, USAGE, Problem, clean

DESCRIPTION = "Measures many machines with Ciphermeter, each once and alone, and collects their runs in the store here."
RUN_AFTER = """\
A file of hosts names one a line, as ssh takes it, and after it the host's name
here if that is to be another: admin@10.0.0.7 db1

Each host needs ciphermeter and ciphermeter-fleet. A second call measures only
what is missing.

Exit codes: 0 all machines are done, and one cipher serves all; 2 usage;
4 nothing was measured; 5 a machine is lost, a run is not pushed yet, or the
answer is not known; 130 interrupted (what was measured is kept)."""


class Parser(argparse.ArgumentParser):
    """Errors are one line, as those of `ciphermeter` are."""

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{message}; `{self.prog} --help` prints all options")


def main() -> None:
    """The program."""
    try:
        # As Ctrl-C: whatever ends this ends what it started.
        for ending in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, _interrupt)
        code = _done(sys.argv[1:])
    except Problem as problem:
        print(f"ciphermeter-fleet: {problem}", file=sys.stderr)
        code = problem.code
    except KeyboardInterrupt:
        print(
            "ciphermeter-fleet: interrupted; what was measured is kept, and the same command measures the rest",
            file=sys.stderr,
        )
        code = INTERRUPTED
    except BrokenPipeError:
        code = FINE
    except Exception as error:
        if "--verbose" in sys.argv:
            raise
        what = f"{type(error).__name__}: {clean(error)}"
        print(f"ciphermeter-fleet: {what}; this should not be: report it with what --verbose prints", file=sys.stderr)
        code = USAGE
    sys.exit(code)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _done(words: list[str]) -> int:
    options = _parser().parse_args(words)
    if getattr(options, "needs_dask", False):
        _check_dask()
    command: Any = options.command
    try:
        return int(command(options))
    except OSError as error:
        raise Problem(f"{clean(error)}; free what it names, and repeat", USAGE) from error


def _check_dask() -> None:
    for module in ("distributed", "cryptography"):
        if importlib.util.find_spec(module) is None:
            raise Problem(
                f"this Python has no {module}: install ciphermeter-fleet with `make fleet`, or {module} with pip"
            )


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="ciphermeter-fleet", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"ciphermeter-fleet {__version__}")
    named = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_run(
        named.add_parser(
            "run",
            help="measure every machine once",
            epilog=RUN_AFTER,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
    )
    status = named.add_parser("status", help="say which machines are pending, running, done, lost")
    status.add_argument("--json", action="store_true", help="print it as JSON")
    status.set_defaults(command=commands.status)
    _add_worker(named.add_parser("worker", help="join a running cluster as one machine"))
    certificate = named.add_parser("certificate", help="make a certificate for a running cluster")
    certificate.add_argument(
        "folder", type=Path, metavar="FOLDER", help="where ca.pem, cert.pem and key.pem are written"
    )
    certificate.set_defaults(command=commands.certificate, needs_dask=True)
    return parser


def _add_run(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "scenario",
        nargs="?",
        default="messages",
        metavar="SCENARIO",
        help="as `ciphermeter run` takes it: a name, a program, or a TOML file (default: messages)",
    )
    where = run.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--hosts", type=Path, metavar="FILE", help="start Dask on these hosts over ssh, and take it down again"
    )
    where.add_argument("--scheduler", metavar="ADDRESS", help="use the running Dask cluster at tls://HOST:8786")
    run.add_argument(
        "--push", metavar="URL", help="send each run to a team's server, too, with the token in CIPHERMETER_TOKEN"
    )
    run.add_argument("--certificate", metavar="FILE", help="with --push: the one certificate of that server to trust")
    run.add_argument("--again", action="store_true", help="measure machines again that are done")
    run.add_argument(
        "--machines",
        type=_count,
        metavar="NUMBER",
        help="with --scheduler: wait until so many have joined (default: 1)",
    )
    run.add_argument(
        "--patience",
        type=_count,
        default=300,
        metavar="SECONDS",
        help="how long to wait for machines to join (default: 300)",
    )
    run.add_argument(
        "--remote-program",
        default="ciphermeter-fleet",
        metavar="COMMAND",
        help="with --hosts: path of ciphermeter-fleet on the hosts",
    )
    run.add_argument(
        "--address", metavar="ADDRESS", help="with --hosts: this machine's address, if it is not the one that they see"
    )
    run.add_argument(
        "--port", type=_port, default=0, metavar="PORT", help="with --hosts: the scheduler's port here (default: any)"
    )
    run.add_argument(
        "--worker-port",
        type=_port,
        default=0,
        metavar="PORT",
        help="with --hosts: the workers' port there (default: any)",
    )
    run.add_argument("--store", metavar="FILE", help="keep runs in this file, as `ciphermeter run --store` does")
    run.add_argument("--program", metavar="FILE", help="the ciphermeter of this machine")
    _add_security(run)
    run.set_defaults(command=commands.run, needs_dask=True)


def _add_worker(worker: argparse.ArgumentParser) -> None:
    worker.add_argument("scheduler", nargs="?", metavar="ADDRESS", help="the scheduler: tls://HOST:8786")
    worker.add_argument("--from-ssh", action="store_true", help=argparse.SUPPRESS)
    worker.add_argument("--name", help="the worker's name (default: its address)")
    worker.add_argument(
        "--listen", metavar="ADDRESS", help="the address to listen on (default: the one that faces the scheduler)"
    )
    worker.add_argument("--port", type=_port, default=0, help="the port to listen on (default: any)")
    worker.add_argument("--program", metavar="FILE", help="the ciphermeter of this machine")
    _add_security(worker)
    worker.set_defaults(command=commands.worker, needs_dask=True)


def _add_security(command: argparse.ArgumentParser) -> None:
    command.add_argument("--tls-ca-file", metavar="FILE", help="with tls://: whom to trust, in PEM")
    command.add_argument("--tls-cert", metavar="FILE", help="with tls://: this side's certificate")
    command.add_argument("--tls-key", metavar="FILE", help="with tls://: its key")
    command.add_argument("--without-tls", action="store_true", help="allow tcp://, on a network that you trust")
    command.add_argument("--verbose", action="store_true", help="print Dask's own messages, too")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"{clean(text, 20)!r} is no number from 1 to 100000")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"{clean(text, 20)!r} is no port")
    return int(text)
