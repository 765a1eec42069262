"""The lines that `advise --for` prints, in the programs that they are for.

Each is started with them, for either answer, passes its own check, and negotiates what the answer says, whichever
cipher a client puts first.
"""

from __future__ import annotations

import json
import shlex
import shutil
import socket
from pathlib import Path

import pytest

from advice import AES, CHACHA20, Advisor, ciphermeter
from sshd import Sshd
from suites import SUITES, Certificate, both_orders, free_port, run, serving

ANSWERS = pytest.mark.parametrize("first", [AES, CHACHA20])


@pytest.fixture(scope="session")
def advisor(tmp_path_factory) -> Advisor:
    return Advisor(tmp_path_factory.mktemp("advice"))


@pytest.fixture(scope="session")
def certificate(tmp_path_factory) -> Certificate:
    return Certificate(tmp_path_factory.mktemp("certificate"))


def program(name: str) -> str:
    """Its path; without it, the test is skipped."""
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/bin:/usr/local/bin:/usr/local/go/bin") or shutil.which(name)
    if found is None:
        pytest.skip(f"there is no program {name}")
    return found


def nginx_conf(folder, certificate, port, lines) -> str:
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""daemon off; master_process off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ }}
http {{
  access_log off; {temporary}
{chr(10).join(lines)}
  server {{
    listen 127.0.0.1:{port} ssl; ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate {certificate.chain}; ssl_certificate_key {certificate.key};
    return 204;
  }}
}}
"""


@ANSWERS
def test_nginx_takes_its_lines_and_prefers_the_answer(advisor, certificate, tmp_path, first):
    nginx, port, conf = program("nginx"), free_port(), tmp_path / "nginx.conf"
    [lines] = advisor.lines("nginx", first)
    conf.write_text(nginx_conf(tmp_path, certificate, port, lines))
    check = run(nginx, "-t", "-c", conf, "-e", tmp_path / "error.log")
    assert check.returncode == 0 and "syntax is ok" in check.stderr, check
    with serving(port, nginx, "-c", conf, "-e", tmp_path / "error.log", log=tmp_path / "log"):
        assert set(both_orders(port).values()) == {first}


def test_nginx_gives_chacha20_to_clients_that_put_it_first_where_its_remark_says_how(advisor, certificate, tmp_path):
    nginx, port, conf = program("nginx"), free_port(), tmp_path / "nginx.conf"
    advice = advisor.advice("nginx", AES)
    [remark] = [remark for remark in advice["setting"]["remarks"] if "PrioritizeChaCha" in remark]
    line = remark.split("`")[1]
    conf.write_text(nginx_conf(tmp_path, certificate, port, [*advice["setting"]["sections"][0]["lines"], line]))
    with serving(port, nginx, "-c", conf, "-e", tmp_path / "error.log", log=tmp_path / "log"):
        assert all(asked == got for (_, asked), got in both_orders(port).items())


@ANSWERS
def test_haproxy_takes_its_lines_and_prefers_the_answer(advisor, certificate, tmp_path, first):
    haproxy, port, conf = program("haproxy"), free_port(), tmp_path / "haproxy.cfg"
    [lines] = advisor.lines("haproxy", first)
    frontend = (
        f"defaults\n  mode http\n  timeout client 5s\n  timeout server 5s\n  timeout connect 5s\n"
        f"frontend here\n  bind 127.0.0.1:{port} ssl crt {certificate.both} ssl-min-ver TLSv1.2\n"
        "  http-request return status 204\n"
    )
    conf.write_text("\n".join(["global", *lines, frontend]))
    check = run(haproxy, "-c", "-f", conf)
    assert check.returncode == 0, check
    with serving(port, haproxy, "-db", "-f", conf, log=tmp_path / "log"):
        got = both_orders(port)
    # As its manual and the remark say: a client that puts ChaCha20 first has it.
    expected = {order: first if first == CHACHA20 else order[1] for order in got}
    assert got == expected


@ANSWERS
def test_openssl_server_takes_the_suites_of_the_lines(advisor, certificate, tmp_path, first):
    openssl, port = program("openssl"), free_port()
    [[_, ciphers, _, suites]] = advisor.lines("nginx", first)
    words = ["-cipher", ciphers.split()[1].rstrip(";"), "-ciphersuites", suites.strip().rstrip(";"), "-serverpref"]
    keys = ["-cert", certificate.chain, "-key", certificate.key]
    with serving(
        port, openssl, "s_server", "-accept", f"127.0.0.1:{port}", "-quiet", *keys, *words, log=tmp_path / "log"
    ):
        assert set(both_orders(port).values()) == {first}


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
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 2222)) == 0:
            pytest.skip("something listens on port 2222")


def test_sshd_forces_the_answer_whatever_clients_put_first(advisor, tmp_path):
    """A lead of ChaCha20-Poly1305 decides nothing for OpenSSH, so there are lines for AES alone."""
    check_ssh()
    first = AES
    _, [forced] = advisor.lines("ssh", first)
    sshd = Sshd(tmp_path, Here, f"{forced.strip()}\n")
    check = run("/usr/sbin/sshd", "-t", "-f", tmp_path / "sshd_config")
    assert check.returncode == 0, check
    with sshd.running():
        for order in ([AES, CHACHA20], [CHACHA20, AES]):
            offered = ",".join(NAMES[cipher] for cipher in order)
            assert cipher_of(sshd, "-c", offered) == {NAMES[first]}
        assert cipher_of(sshd) == {NAMES[first]}, "what a client offers by itself"


def test_ssh_puts_the_answer_first_and_every_server_takes_it(advisor, tmp_path):
    check_ssh()
    first, other = AES, CHACHA20
    [wished], _ = advisor.lines("ssh", first)
    with Sshd(tmp_path, Here).running() as sshd:
        sshd.config.write_text(sshd.config.read_text() + wished + "\n")
        shown = run("ssh", "-G", "-F", sshd.config, "far").stdout
        [ciphers] = [line for line in shown.splitlines() if line.startswith("ciphers ")]
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


@ANSWERS
def test_java_takes_its_arguments_and_prefers_the_answer(advisor, certificate, tmp_path, first):
    java, port = program("java"), free_port()
    [lines] = advisor.lines("java", first, provider="sunjce")
    (tmp_path / "tls.args").write_text("\n".join(lines) + "\n")
    (tmp_path / "Server.java").write_text(JAVA)
    check = run(java, "@tls.args", "-XshowSettings:properties", "-version", cwd=tmp_path)
    suites = {AES: "TLS_AES_256_GCM_SHA384,", CHACHA20: "TLS_CHACHA20_POLY1305_SHA256,"}
    assert f"jdk.tls.server.cipherSuites = {suites[first]}" in check.stderr, check
    keys = [f"-Djavax.net.ssl.keyStore={certificate.store}", "-Djavax.net.ssl.keyStorePassword=changeit"]
    with serving(port, java, "@tls.args", *keys, "Server.java", port, cwd=tmp_path, log=tmp_path / "log"):
        assert set(both_orders(port).values()) == {first}


NODE = """
const [port, key, cert] = process.argv.slice(2);
const [k, c] = [key, cert].map((file) => require("fs").readFileSync(file));
require("tls").createServer({ key: k, cert: c }, (socket) => socket.on("error", () => {}).end("\\n"))
  .on("tlsClientError", () => {}).listen(port, "127.0.0.1");
"""


@ANSWERS
def test_node_takes_its_option_and_prefers_the_answer(advisor, certificate, tmp_path, first):
    node, port = program("node"), free_port()
    [[line]] = advisor.lines("node", first, provider="node-crypto", form="fresh")
    _, option = shlex.split(line)
    suites = {AES: "TLS_AES_256_GCM_SHA384:", CHACHA20: "TLS_CHACHA20_POLY1305_SHA256:"}
    check = shlex.split(advisor.advice("node", first, provider="node-crypto", form="fresh")["setting"]["check"])
    assert check[:2] == ["node", option], check
    assert run(node, *check[1:]).stdout.startswith(suites[first])
    (tmp_path / "server.js").write_text(NODE)
    words = [tmp_path / "server.js", port, certificate.key, certificate.chain]
    with serving(port, node, option, *words, log=tmp_path / "log"):
        assert set(both_orders(port).values()) == {first}


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


def run_without_measuring(name, home) -> dict:
    done = ciphermeter(home, "advise", "--for", name, "--json", "-")
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def test_luks_takes_its_lines(tmp_path):
    cryptsetup = program("cryptsetup")
    advice = run_without_measuring("luks", tmp_path)
    aes, _ = (" ".join(section["lines"]).replace("\\", "").split() for section in advice["setting"]["sections"])
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
