"""An end that listens: its key, its ticket, and who comes."""

from __future__ import annotations

import datetime
import secrets
import socket

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from OpenSSL import SSL

from wire import ALPN, GROUP, PATIENCE, Control, Ticket, hash_of


class Listens:
    """Listens on this machine, with a key and a ticket of its own."""

    alpn, group = ALPN, GROUP

    def listen(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        self.key, self.token = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16)
        self.ticket = Ticket(hash_of(self.key.public_key()), self.token, [self.listener.getsockname()])

    def accept(self) -> Control:
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "listener")])
        day = datetime.datetime(2020, 1, 1)
        made = x509.CertificateBuilder(name, name, self.key.public_key(), 1, day, day + datetime.timedelta(99999))
        context = SSL.Context(SSL.TLS_SERVER_METHOD)
        context.use_certificate(made.sign(self.key, hashes.SHA256()))
        context.use_privatekey(self.key)
        return Control.over(self.listener.accept()[0], context, None, self.alpn, self.group)
