"""What both ends of the second implementation share: tickets, the control channel, keys and frames.

It follows crates/transfer/WIRE.md and nothing else, to show that the page is enough. What it raises is of `Broken`.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import re
import socket
import struct
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from OpenSSL import SSL

WIRE, ALPN = 3, b"ciphermeter/3"
GROUP = b"X25519MLKEM768"  # the only key exchange
SUITES = {"aes-256-gcm": AESGCM, "chacha20-poly1305": ChaCha20Poly1305}
RATES = [{"suite": suite, "seal": 1000, "open": 1000} for suite in SUITES]  # what this implementation claims
PIECE, DATA, END, HOLE = 1, 2, 3, 4
CHUNK, TAG = 262_144, 16
LINE, HELLO = 65_536, 54
PATIENCE = 60  # seconds for every wait: enough for a busy machine, and a test that hangs ends


class Broken(Exception):
    """The other end said no, or something that the page doesn't allow; or the connection was cut."""


class Ended(Broken):
    """The other end said `refused` or `broke-off`, with this reason."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


@dataclass
class Ticket:
    key_hash: bytes
    token: bytes
    addresses: list[tuple[str, int]]

    @classmethod
    def read(cls, text: str) -> Ticket:
        match = re.fullmatch(r"cm1\.([A-Za-z0-9_-]{64})@(.+)", text.strip())
        if not match:
            raise Broken("this is no ticket")
        key = base64.urlsafe_b64decode(match[1])
        places = [place.rpartition(":") for place in match[2].split(",")]
        return cls(key[:32], key[32:], [(host.strip("[]"), int(port)) for host, _, port in places])

    def __str__(self) -> str:
        key = base64.urlsafe_b64encode(self.key_hash + self.token).decode()
        return f"cm1.{key}@" + ",".join(f"{host}:{port}" for host, port in self.addresses)


def hash_of(key: object) -> bytes:
    """The SHA-256 of a public key as the ticket names it."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return hashlib.sha256(key.public_bytes(serialization.Encoding.DER, form)).digest()


def line_of(kind: str, message: dict) -> bytes:
    return json.dumps({"is": kind, **message}).encode() + b"\n"


class Control:
    """Lines of JSON inside TLS. Every line of both ends is in the transcript; `heard` has the other end's."""

    def __init__(self, tls: SSL.Connection, plain: socket.socket) -> None:
        self.tls, self.plain, self.read, self.heard = tls, plain, b"", []
        self.transcript = hashlib.sha256()

    @classmethod
    def over(
        cls,
        plain: socket.socket,
        context: SSL.Context,
        key_hash: bytes | None,
        alpn: bytes = ALPN,
        group: bytes = GROUP,
    ) -> Control:
        """Shakes hands: as the client of the owner of the key with that hash, or as the server."""
        plain.settimeout(None)  # OpenSSL wants a blocking socket; the system watches the time instead
        for option in socket.SO_RCVTIMEO, socket.SO_SNDTIMEO:
            plain.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", PATIENCE, 0))
        context.set_min_proto_version(SSL.TLS1_3_VERSION)
        context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
        # pyOpenSSL has no function for this yet, and OpenSSL itself would also agree to X25519 alone.
        if SSL._lib.SSL_CTX_set1_curves_list(context._context, group) != 1:
            raise Broken(f"this OpenSSL has no {group.decode()}")
        if key_hash:
            context.set_alpn_protos([alpn])
        else:  # whatever the function raises fails the handshake
            context.set_alpn_select_callback(lambda _, offered: offered[offered.index(alpn)])
        tls = SSL.Connection(context, plain)
        (tls.set_connect_state if key_hash else tls.set_accept_state)()
        try:
            tls.do_handshake()
        except (SSL.Error, ValueError) as error:
            raise Broken(f"no TLS: {error!r}") from error
        if tls.get_alpn_proto_negotiated() != alpn:
            raise Broken("the other end speaks something else")
        if key_hash and hash_of(tls.get_peer_certificate(as_cryptography=True).public_key()) != key_hash:
            raise Broken("the key is not the ticket's")
        return cls(tls, plain)

    def say(self, kind: str, **message: object) -> None:
        self.write(line_of(kind, message))

    def write(self, lines: bytes) -> None:
        self.transcript.update(lines)
        try:
            self.tls.sendall(lines)
        except SSL.Error as error:
            raise Broken(f"the connection was cut: {error!r}") from error

    def hear(self, *kinds: str) -> dict:
        """The next line, which must be of one of these kinds."""
        while b"\n" not in self.read:
            if len(self.read) >= LINE:
                raise Broken("a line is too long")
            try:
                self.read += self.tls.recv(LINE)
            except SSL.Error as error:
                raise Broken(f"the connection was cut: {error!r}") from error
        line, _, self.read = self.read.partition(b"\n")
        self.transcript.update(line + b"\n")
        self.heard.append(line)
        message = json.loads(line)
        if message["is"] in ("refused", "broke-off"):
            raise Ended(message["is"], message["why"])
        if message["is"] not in kinds:
            raise Broken(f"wanted one of {kinds}, heard {message}")
        return message

    def close(self) -> None:
        with contextlib.suppress(SSL.Error):  # the other end may be gone
            self.tls.shutdown()
        self.plain.close()


def read_rates(rates: list[dict]) -> dict[str, dict]:
    return {rate["suite"]: rate for rate in rates if rate["suite"] in SUITES}


def best(sender: list[dict], receiver: list[dict]) -> str:
    """The suite that the rates come to."""
    seals, opens = read_rates(sender), read_rates(receiver)
    speeds = {suite: min(seals[suite]["seal"], opens[suite]["open"]) for suite in seals if suite in opens}
    if not speeds:
        raise Broken("there is no suite that both have")
    if "aes-256-gcm" in speeds and speeds["aes-256-gcm"] * 10 >= max(speeds.values()) * 9:
        return "aes-256-gcm"
    return max(speeds, key=speeds.__getitem__)


class Sequence:
    """The frames under one key, in their order."""

    def __init__(self, suite: str, key: bytes) -> None:
        self.cipher, self.counter = SUITES[suite](key), 0

    def nonce(self, last: bool) -> bytes:
        self.counter += 1
        return (self.counter - 1).to_bytes(11, "big") + bytes([last])

    def seal(self, kind: int, text: bytes, last: bool) -> bytes:
        header = struct.pack(">BI", kind, len(text) + TAG)
        return header + self.cipher.encrypt(self.nonce(last), text, header)

    def open(self, kind: int, sealed: bytes, last: bool) -> bytes:
        header = struct.pack(">BI", kind, len(sealed))
        return self.cipher.decrypt(self.nonce(last), sealed, header)


@dataclass
class Session:
    """What one attempt's keys come from; made when `ready` was said."""

    suite: str
    transfer: bytes
    attempt: int
    transcript: bytes
    mac_key: bytes
    secret: bytes

    @classmethod
    def of(cls, control: Control, welcome: dict, opener: str = "sender") -> Session:
        """`opener` is the end that opens the data connections: the one that connected."""
        transfer, attempt = bytes.fromhex(welcome["transfer"]), welcome["attempt"]
        context = transfer + struct.pack(">I", attempt)
        mac_key, secret = (
            control.tls.export_keying_material(f"EXPORTER-ciphermeter-3 {label}".encode(), 32, context)
            for label in (f"hello {opener}", "data sender")
        )
        return cls(welcome["suite"], transfer, attempt, control.transcript.copy().digest(), mac_key, secret)

    def hello(self, stream: int, salt: bytes) -> bytes:
        said = b"cmD3" + struct.pack(">H", stream) + salt
        return said + hmac.digest(self.mac_key, said, "sha256")

    def expect(self, hello: bytes) -> tuple[int, bytes]:
        """The stream and the salt of a hello that is right."""
        stream, salt = struct.unpack(">H", hello[4:6])[0], hello[6:22]
        if not hmac.compare_digest(hello, self.hello(stream, salt)):
            raise Broken("a hello of somebody else")
        return stream, salt


@dataclass
class Stream:
    """One data connection's keys."""

    session: Session
    number: int
    salt: bytes
    frames: Sequence = field(init=False)

    def __post_init__(self) -> None:
        self.frames = self.sequence(b"ciphermeter-3 stream", b"")

    def piece(self, head: bytes) -> Sequence:
        return self.sequence(b"ciphermeter-3 piece", head)

    def sequence(self, label: bytes, more: bytes) -> Sequence:
        session = self.session
        prk = hmac.digest(self.salt, session.secret, "sha256")
        who = session.transcript + session.transfer + struct.pack(">IH", session.attempt, self.number)
        key = HKDFExpand(hashes.SHA256(), 32, label + who + more).derive(prk)
        return Sequence(session.suite, key)
