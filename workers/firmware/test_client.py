"""What the tests of the firmware share: an image behind its pipes, vectors, and answers that come from elsewhere."""

import hashlib
import json
import select
import subprocess
from signal import SIGKILL

from answers import SIZES
from compilers import Target
from paths import HERE, PROVIDERS, TARGETS

VECTORS = HERE / "../../crates/meter/vectors/wycheproof"
SEED = 42


class Skip(Exception):
    """A test that cannot run here, and why."""


class Image:
    """One provider on one target."""

    ends = True  # when its input does

    def __init__(self, target: str, provider: str, suffix: str = "") -> None:
        self.target, self.provider = target, provider
        self.name = f"{target} {provider}{suffix}"
        self.runner = HERE / "build" / target / f"{provider}{suffix}"
        self.told, self.defines = TARGETS[target], Target(target).defines(provider)
        self.algorithms = PROVIDERS[provider]["algorithms"]
        self.max_line, self.max_message = self.defines["MAX_LINE"], self.defines["MAX_MESSAGE"]


def images() -> list:
    """Those that have been built of targets that can be built and run here."""
    found = [Image(target, provider) for target, told in TARGETS.items() for provider in told["providers"]
             if "emulator" in told and not Target(target).missing()]  # fmt: skip
    return [image for image in found if image.runner.with_name(f"{image.provider}.elf").exists()]


class Worker:
    """A process, which must end with exit code 0 when its input does, if it sees that."""

    def __init__(self, image: Image) -> None:
        self.image, self.cells = image, 0
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([str(image.runner)], **pipes)
        if not image.ends:
            self.wake()

    def wake(self) -> None:
        """A board hears nothing before it has started: it is asked until it answers, and all its answers are read."""
        while not select.select([self.process.stdout], [], [], 0.2)[0]:
            self.process.stdin.write(b"\n?\n")
            self.process.stdin.flush()
        answer = self.ask("memory")
        while answer["is"] != "memory":
            answer = self.read()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if not self.image.ends:
            self.process.kill()
        rest, _ = self.process.communicate(timeout=120)
        if kind is None:
            equal(self.process.returncode, 0 if self.image.ends else -SIGKILL, "exit code")
            equal(rest, b"", "what nothing had asked for")

    def line(self, line: bytes) -> dict:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return self.read()

    def read(self) -> dict:
        answer = self.process.stdout.readline()
        if not answer.endswith(b"\n") or len(answer) > self.image.max_line:
            raise AssertionError(f"no answer, or one that is too long: {answer[:100]!r}")
        return json.loads(answer)

    def ask(self, do: str, **keys: object) -> dict:
        return self.line(json.dumps({"do": do, **keys}, separators=(",", ":")).encode())

    def need(self, kind: str, do: str, **keys: object) -> dict:
        answer = self.ask(do, **keys)
        if answer["is"] != kind:
            raise AssertionError(f"expected {kind} to {do} {str(keys)[:200]}, got {answer}")
        return answer

    def describe(self) -> list:
        answers = [self.ask("describe")]
        while answers[-1]["is"] != "end":
            answers.append(self.read())
        return answers

    def offers(self) -> list:
        return [answer for answer in self.describe() if answer["is"] == "offer"]

    def cell(self, **keys: object) -> int:
        """Prepares a cell, by default one that seals 64 bytes."""
        self.cells += 1
        both = {"cell": self.cells, "provider": self.image.provider, "operation": "seal", "message": 64, "aad": 0,
                "threads": 1, "seed": SEED}  # fmt: skip
        self.need("ready", "prepare", **both | keys)
        return self.cells

    def check(self, **keys: object) -> dict:
        texts = {key: value.hex() if isinstance(value, bytes) else value for key, value in keys.items()}
        return self.ask("check", provider=self.image.provider, **texts)


def ways(offer: dict) -> list:
    """Operation and form, for each that the offer has."""
    return [(operation, form) for operation in offer["operations"].split(",") for form in offer["forms"].split(",")]


def equal(got: object, expected: object, what: object) -> None:
    if got != expected:
        raise AssertionError(f"{what}: expected {str(expected)[:300]}, got {str(got)[:300]}")


def vectors(algorithm: str) -> list:
    """Each vector of the protocol's sizes: name, key, nonce, aad, message, sealed, whether it is valid."""
    file = VECTORS / f"{algorithm}.txt"
    if not file.exists():
        raise Skip(f"no vectors of {algorithm} in {VECTORS.resolve()}")
    found = []
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, *texts, verdict = line.split()
        fields = [bytes.fromhex(text) if text != "-" else b"" for text in texts]
        if tuple(map(len, fields[:2])) == SIZES[algorithm]:
            found.append((name, *fields, verdict == "valid"))
    return found


def stream(label: str, length: int, seed: int = SEED) -> bytes:
    hashes = (hashlib.sha256(f"ciphermeter {label} {seed} {i}".encode()).digest() for i in range(128))
    period = b"".join(hashes)[:4093]
    return (period * (length // 4093 + 1))[:length]


def sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def seal(algorithm: str, key: bytes, nonce: bytes, aad: bytes, message: bytes) -> bytes | None:
    """What the Python package cryptography makes of it; None: it does not have the algorithm."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, ChaCha20Poly1305
    except ImportError:
        raise Skip("the Python package cryptography is missing") from None
    ciphers = {"aes-128-gcm": AESGCM, "aes-256-gcm": AESGCM, "aes-128-ccm": AESCCM, "aes-256-ccm": AESCCM,
               "chacha20-poly1305": ChaCha20Poly1305}  # fmt: skip
    return ciphers[algorithm](key).encrypt(nonce, message, aad) if algorithm in ciphers else None


def iteration(algorithm: str, number: int, message: bytes, aad: int, seed: int = SEED) -> bytes | None:
    """The output of one iteration of a cell that seals."""
    key, nonce = SIZES[algorithm]
    whole = number.to_bytes(8, "big") + stream("nonce", nonce, seed)[8:]
    return seal(algorithm, stream("key", key, seed), whole, stream("aad", aad, seed), message)
