"""The lines that `advise --for` prints, in the programs that they are for.

Each is started with them, for either answer, passes its own check, and negotiates what the answer says, whichever
cipher a client puts first.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from ports import free_port

from advice import AES, ANSWERS, CHACHA20, program
from sshd import SEPARATION, Sshd
from suites import OLDER, SUITES, both_orders, run, serving, shown, taken

NAMES = {AES: "aes256-gcm@openssh.com", CHACHA20: "chacha20-poly1305@openssh.com"}


class Here:
    """This machine, where `Sshd` expects an end of a network."""

    inside, ipv4 = (), "127.0.0.1"


def cipher_of(sshd: Sshd, *options: str) -> set[str]:
    done = run("ssh", "-v", "-F", sshd.config, "-o", "LogLevel=DEBUG1", *options, "far", "true")
    assert done.returncode == 0, done.stderr
    return {
        line.split("cipher: ")[1].split()[0]
        for line in done.stderr.splitlines()
        if "kex: " in line and "cipher: " in line
    }


def check_ssh() -> None:
    for name in ("sshd", "ssh", "ssh-keygen"):
        program(name)
    # Without it, sshd does not even read its configuration.
    SEPARATION.mkdir(mode=0o755, exist_ok=True)


def test_sshd_forces_the_answer_whatever_clients_put_first(advisor, tmp_path):
    """A lead of ChaCha20-Poly1305 decides nothing for OpenSSH, so there are lines for AES alone."""
    check_ssh()
    first = AES
    advice = advisor.advice("ssh", first)
    _, [forced] = (section["lines"] for section in advice["setting"]["sections"])
    sshd = Sshd(tmp_path, Here, f"{forced.strip()}\n", free_port())
    shows, _ = advice["setting"]["check"].replace("sshd -T", f"/usr/sbin/sshd -T -f {tmp_path}/sshd_config").split("; ")
    check = run("sh", "-c", shows)
    assert (check.stdout, check.returncode) == (f"ciphers {NAMES[first]}\n", 0), check
    with sshd.running():
        for order in ([AES, CHACHA20], [CHACHA20, AES]):
            offered = ",".join(NAMES[cipher] for cipher in order)
            assert cipher_of(sshd, "-c", offered) == {NAMES[first]}
        assert cipher_of(sshd) == {NAMES[first]}, "what a client offers by itself"


def test_check_of_sshd_shows_a_line_that_counts_before_as_the_remark_says(advisor, tmp_path):
    check_ssh()
    advice = advisor.advice("ssh", AES)
    assert any("in an included file too" in remark for remark in advice["setting"]["remarks"])
    _, [forced] = (section["lines"] for section in advice["setting"]["sections"])
    (tmp_path / "before.conf").write_text("Ciphers aes128-ctr\n")
    Sshd(tmp_path, Here, f"Include {tmp_path}/before.conf\n{forced.strip()}\n", free_port())
    shows, _ = advice["setting"]["check"].replace("sshd -T", f"/usr/sbin/sshd -T -f {tmp_path}/sshd_config").split("; ")
    assert run("sh", "-c", shows).stdout == "ciphers aes128-ctr\n"


def test_ssh_puts_the_answer_first_and_every_server_takes_it(advisor, tmp_path):
    check_ssh()
    first, other = AES, CHACHA20
    advice = advisor.advice("ssh", first)
    [wished], _ = (section["lines"] for section in advice["setting"]["sections"])
    with Sshd(tmp_path, Here, port=free_port()).running() as sshd:
        sshd.config.write_text(sshd.config.read_text() + wished + "\n")
        _, shows = advice["setting"]["check"].replace("ssh -G HOST", f"ssh -G -F {sshd.config} far").split("; ")
        ciphers = run("sh", "-c", shows).stdout
        assert ciphers.startswith("ciphers ") and ciphers.count("\n") == 1, ciphers
        assert ciphers.split()[1].split(",")[0] == NAMES[first] and NAMES[other] in ciphers
        assert cipher_of(sshd) == {NAMES[first]}


JAVA = """
import java.io.*; import javax.net.ssl.*;
public class Server {
  public static void main(String[] arguments) throws Exception {
    var server = SSLServerSocketFactory.getDefault().createServerSocket(
        Integer.parseInt(arguments[0]), 9, java.net.InetAddress.getLoopbackAddress());
    while (true) {
      try (var socket = (SSLSocket) server.accept()) {
        socket.startHandshake();
        socket.getOutputStream().write(10);
      } catch (IOException closed) { }
    }
  }
}
"""


def java_serving(folder, certificate, port, *words):
    (folder / "Server.java").write_text(JAVA)
    keys = [f"-Djavax.net.ssl.keyStore={certificate.store}", "-Djavax.net.ssl.keyStorePassword=changeit"]
    return serving(port, program("java"), *words, *keys, "Server.java", port, cwd=folder, log=folder / "log")


def test_java_has_no_lines_for_aes_and_puts_it_first_by_itself(advisor, certificate, tmp_path):
    port, setting = free_port(), advisor.advice("java", AES, provider="sunjce")["setting"]
    assert setting["sections"] == []
    assert "Leave jdk.tls.server.cipherSuites unset." in setting["remarks"][0]
    with java_serving(tmp_path, certificate, port):
        assert set(both_orders(port).values()) == {AES}


def test_java_takes_its_arguments_and_refuses_what_they_lack(advisor, certificate, tmp_path):
    port = free_port()
    [section] = advisor.advice("java", CHACHA20, provider="sunjce")["setting"]["sections"]
    (tmp_path / "tls.args").write_text("\n".join(section["lines"]) + "\n")
    check = run(program("java"), "@tls.args", "-XshowSettings:properties", "-version", cwd=tmp_path)
    assert "jdk.tls.server.cipherSuites = TLS_CHACHA20_POLY1305_SHA256," in check.stderr, check
    with java_serving(tmp_path, certificate.rsa, port, "@tls.args"):
        assert taken(port) == set()
        assert section["warning"] == "Clients of TLS 1.2 with none of these suites are refused."
    with java_serving(tmp_path, certificate, port, "@tls.args"):
        assert set(both_orders(port).values()) == {CHACHA20}


NODE = """
const [port, ...files] = process.argv.slice(2);
const [key, cert, rsaKey, rsaCert] = files.map((file) => require("fs").readFileSync(file));
const both = { key: [key, rsaKey], cert: [cert, rsaCert] };
require("tls").createServer(both, (socket) => socket.on("error", () => {}).end("\\n"))
  .on("tlsClientError", () => {}).listen(port, "127.0.0.1");
"""
NODE_CLIENT = """
const [port, maxVersion] = process.argv.slice(2);
const socket = require("tls").connect({ port, host: "127.0.0.1", maxVersion, rejectUnauthorized: false }, () => {
  console.log(socket.getCipher().name);
  socket.destroy();
});
"""


def node_serving(folder, certificate, port, *options):
    (folder / "server.js").write_text(NODE)
    files = [file for one in (certificate, certificate.rsa) for file in (one.key, one.chain)]
    return serving(port, program("node"), *options, folder / "server.js", port, *files, log=folder / "log")


@ANSWERS
def test_node_takes_its_option_and_prefers_the_answer(advisor, certificate, tmp_path, first):
    port, setting = free_port(), advisor.advice("node", first, provider="node-crypto", form="fresh")["setting"]
    [[line]] = (section["lines"] for section in setting["sections"])
    # Nothing in it means anything to a shell.
    _, option = line.split()
    assert shlex.quote(option) == option and "!" not in option, option
    with node_serving(tmp_path, certificate, port, option):
        assert set(both_orders(port).values()) == {first}
        assert shown(port, setting["check"]) == SUITES["tls1_3"][first]
        served = taken(port)
    with node_serving(tmp_path, certificate, port):
        assert served == taken(port) == set(OLDER)


@ANSWERS
def test_node_offers_the_answer_first_as_a_client_too_and_still_reaches_older_servers(
    advisor, certificate, tmp_path, first
):
    node, setting = program("node"), advisor.advice("node", first, provider="node-crypto", form="fresh")["setting"]
    assert any("It is the list of outgoing connections, too." in remark for remark in setting["remarks"])
    _, option = setting["sections"][0]["lines"][0].split()
    client = tmp_path / "client.js"
    client.write_text(NODE_CLIENT)
    names = {AES: "ECDHE-RSA-AES256-GCM-SHA384", CHACHA20: "ECDHE-RSA-CHACHA20-POLY1305"}
    keys = ["-cert", certificate.rsa.chain, "-key", certificate.rsa.key]
    for version, cipher, expected in [
        ("TLSv1.3", [], SUITES["tls1_3"][first]),
        ("TLSv1.2", [], names[first]),
        ("TLSv1.2", ["-cipher", OLDER[0]], OLDER[0]),
    ]:
        port = free_port()
        words = ["s_server", "-accept", f"127.0.0.1:{port}", "-quiet", *keys, *cipher]
        with serving(port, program("openssl"), *words, log=tmp_path / "log"):
            assert run(node, option, client, port, version).stdout.strip() == expected


GO = """package main

import (
	"crypto/tls"
	"os"
)

func main() {
	pair, err := tls.LoadX509KeyPair(os.Args[2], os.Args[3])
	if err != nil {
		panic(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
%s
	listener, err := tls.Listen("tcp", "127.0.0.1:"+os.Args[1], config)
	if err != nil {
		panic(err)
	}
	for {
		if socket, err := listener.Accept(); err == nil {
			_ = socket.(*tls.Conn).Handshake()
			_ = socket.Close()
		}
	}
}
"""


def go_server(certificate, folder, lines) -> tuple[object, ...]:
    """The command of a server with these lines in its configuration, but for the port, which is its first argument."""
    go = program("go")
    (folder / "main.go").write_text(GO % "\n".join(lines))
    (folder / "go.mod").write_text("module server\n\ngo 1.17\n")
    for words in (["vet", "."], ["build", "-o", "server", "."]):
        done = run(go, *words, cwd=folder)
        assert done.returncode == 0, done
    return folder / "server", certificate.chain, certificate.key


def has_aes() -> bool:
    words = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
    return "aes" in words


def test_go_has_no_lines_for_aes_and_chooses_by_itself(advisor, certificate, tmp_path):
    port = free_port()
    advice = advisor.advice("go", AES, provider="go")
    assert advice["setting"]["sections"] == []
    assert "Leave CipherSuites unset." in advice["setting"]["remarks"][0]
    server, *files = go_server(certificate, tmp_path, [])
    with serving(port, server, port, *files, log=tmp_path / "log"):
        # A client with AES instructions puts AES-GCM first.
        expected = {order: order[1] if has_aes() else CHACHA20 for order in both_orders(port)}
        assert both_orders(port) == expected


def test_go_is_forced_to_chacha20_in_tls_1_2_alone_and_refuses_clients_without_it(advisor, certificate, tmp_path):
    if not has_aes():
        pytest.skip("this CPU has no AES instructions, so Go chooses ChaCha20-Poly1305 by itself")
    port = free_port()
    [lines] = advisor.lines("go", CHACHA20, provider="go")
    server, *files = go_server(certificate, tmp_path, lines)
    with serving(port, server, port, *files, log=tmp_path / "log"):
        assert set(both_orders(port, ("tls1_2",)).values()) == {CHACHA20}
        # As the remark says, TLS 1.3 has no such choice.
        assert both_orders(port, ("tls1_3",)) == {("tls1_3", cipher): cipher for cipher in (AES, CHACHA20)}
        alone = ["-tls1_2", "-cipher", SUITES["tls1_2"][AES]]
        refused = run("openssl", "s_client", "-connect", f"127.0.0.1:{port}", *alone)
        assert refused.returncode != 0 and "handshake failure" in refused.stderr, refused


def test_luks_takes_its_lines(tmp_path):
    cryptsetup = program("cryptsetup")
    program_file = Path(__file__).resolve().parents[2] / "programs/luks.toml"
    lines = re.search("cryptsetup luksFormat.*?DEVICE", program_file.read_text(), re.DOTALL)[0]
    aes = re.sub(r"[\\',\"]", " ", lines).split()
    assert aes[:2] == ["cryptsetup", "luksFormat"] and aes[-1] == "DEVICE"
    disk = tmp_path / "disk"
    with disk.open("wb") as file:
        file.truncate(20 << 20)
    words = [*aes[1:-1], "--batch-mode", "--pbkdf", "pbkdf2", "--iter-time", "1", "--key-file", __file__, disk]
    made = run(cryptsetup, *words)
    if "kernel" in made.stderr.lower():
        pytest.skip(f"the kernel has no such cipher: {made.stderr.strip()}")
    assert made.returncode == 0, made
    assert "aes-xts-plain64" in run(cryptsetup, "luksDump", disk).stdout
