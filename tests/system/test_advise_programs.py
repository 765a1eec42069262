"""The lines that `advise --for` prints for VPNs, encrypted folders, backups and file servers, in the programs.

Each takes them for either answer, and says or negotiates what the answer says. Syncthing has no choice, so no lines.
"""

from __future__ import annotations

import os
import shlex

import pytest
from ports import free_port

from advice import AES, ANSWERS, CHACHA20, program
from suites import LIMIT, both_orders, run, serving, started
from test_advise import has_aes

CCM, OCB, XCHACHA20 = "aes-256-ccm", "aes-256-ocb", "xchacha20-poly1305"

# Both ends in a network of their own, which ends with them.
OPENVPN = """
ip link set lo up
openvpn --config server.conf --log server.log &
openvpn --config client.conf --log client.log &
until grep -q 'Initialization Sequence Completed' client.log 2>/dev/null; do sleep 0.1; done
"""


@ANSWERS
def test_openvpn_takes_the_first_of_the_servers_ciphers(advisor, certificate, tmp_path, first):
    program("openvpn")
    advice = advisor.advice("openvpn", first)
    [[line]] = (section["lines"] for section in advice["setting"]["sections"])
    names = line.split()[1].split(":")
    assert set(names) <= set(run(*shlex.split(advice["setting"]["check"])).stdout.split())
    keys = f"cert {certificate.chain}\nkey {certificate.key}\nca {certificate.chain}\ndisable-dco\n"
    server = f"dev tun0\nlocal 127.0.0.1\nserver 10.8.0.0 255.255.255.0\ndh none\ntopology subnet\n{keys}{line}\n"
    client = "dev tun1\nremote 127.0.0.1\nclient\nnobind\nifconfig-noexec\nroute-noexec\nverb 3\n"
    (tmp_path / "server.conf").write_text(server)
    # It puts them in the opposite order.
    (tmp_path / "client.conf").write_text(f"{client}{keys}data-ciphers {':'.join(reversed(names))}\n")
    words = ["unshare", "--net", "--pid", "--fork", "--kill-child", "timeout", LIMIT, "sh", "-c", OPENVPN]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done
    # As the remark says.
    name = {AES: "AES-256-GCM", CHACHA20: "CHACHA20-POLY1305"}[first]
    assert any("With `verb 3` a client's log" in remark for remark in advice["setting"]["remarks"])
    assert f"Data Channel: cipher '{name}'" in (tmp_path / "client.log").read_text()


SWANCTL = """connections {
  gateway {
    local_addrs = 127.0.0.1
    remote_addrs = 127.0.0.2
    %s
    children {
      net {
        %s
      }
    }
  }
}
"""


@pytest.fixture
def charon(tmp_path):
    """strongSwan's daemon, with ports and a socket of its own, and swanctl's words for that."""
    daemon, socket = program("charon-systemd"), f"unix://{tmp_path}/vici"
    plugins = f"include /etc/strongswan.d/charon/*.conf\n vici {{\n socket = {socket}\n }}\n"
    own = f"load_modular = yes\n port = 0\n port_nat_t = 0\n plugins {{\n {plugins}}}\n"
    (tmp_path / "strongswan.conf").write_text(f"charon-systemd {{\n {own}}}\n")
    environment = {**os.environ, "STRONGSWAN_CONF": str(tmp_path / "strongswan.conf")}
    with started((tmp_path / "vici").exists, "unshare", "--net", daemon, env=environment, log=tmp_path / "out"):
        yield ["--uri", socket]


@ANSWERS
def test_swanctl_loads_the_proposals_in_their_order(advisor, charon, tmp_path, first):
    swanctl, advice = program("swanctl"), advisor.advice("strongswan", first)
    esp, ike = (section["lines"][0].strip() for section in advice["setting"]["sections"])
    file = tmp_path / "swanctl.conf"
    file.write_text(SWANCTL % (ike, esp))
    done = run(swanctl, "--load-conns", *charon, "--file", file)
    assert done.returncode == 0 and "successfully loaded 1 connections" in done.stdout, done
    file.write_text(SWANCTL % (ike, esp.replace("gcm16", "gcm17")))
    refused = run(swanctl, "--load-conns", *charon, "--file", file)
    assert refused.returncode != 0 and "invalid value for: esp_proposals" in refused.stdout + refused.stderr, refused


@ANSWERS
def test_nebula_takes_its_cipher(advisor, tmp_path, first):
    nebula, cert = program("nebula"), program("nebula-cert")
    advice = advisor.advice("nebula", first, provider="go")
    [[line]] = (section["lines"] for section in advice["setting"]["sections"])
    for words in (["ca", "-name", "test"], ["sign", "-name", "here", "-ip", "10.9.0.1/24"]):
        done = run(cert, *words, cwd=tmp_path)
        assert done.returncode == 0, done
    keys = "".join(
        f"  {name}: {tmp_path}/{file}\n" for name, file in (("ca", "ca.crt"), ("cert", "here.crt"), ("key", "here.key"))
    )
    config = tmp_path / "config.yml"
    firewall = "firewall:\n  outbound: [{port: any, proto: any, host: any}]\n  inbound: []\n"
    config.write_text(f"pki:\n{keys}listen:\n  host: 127.0.0.1\n  port: 0\n{firewall}{line}\n")
    words = [config if word == "config.yml" else word for word in advice["setting"]["check"].split()[1:]]
    check = run(nebula, *words)
    assert check.returncode == 0, check
    config.write_text(config.read_text().replace(line, "cipher: other"))
    assert run(nebula, *words).returncode != 0


@pytest.mark.parametrize("first", [AES, XCHACHA20])
def test_gocryptfs_makes_a_file_system_of_the_answer(advisor, tmp_path, first):
    gocryptfs = program("gocryptfs")
    advice = advisor.advice("gocryptfs", first, provider="go", ciphers=(AES, XCHACHA20))
    [[line]] = (section["lines"] for section in advice["setting"]["sections"])
    name, *words = line.split()
    assert name == "gocryptfs"
    folder = tmp_path / "cipher"
    folder.mkdir()
    words = [folder if word == "CIPHERDIR" else word for word in words]
    made = run(gocryptfs, "-q", "-scryptn", "10", "-extpass", "echo", "-extpass", "secret", *words)
    assert made.returncode == 0, made
    check = run(
        gocryptfs, *(folder if word == "CIPHERDIR" else word for word in advice["setting"]["check"].split()[1:])
    )
    assert ("XChaCha20Poly1305" in check.stdout) == (first == XCHACHA20), check
    assert ("GCMIV128" in check.stdout) == (first == AES), check


@pytest.mark.parametrize("first", [OCB, CHACHA20])
def test_borg_makes_a_repository_of_the_answer(advisor, tmp_path, first):
    borg, advice = program("borg2"), advisor.advice("borg", first, ciphers=(OCB, CHACHA20))
    _, _, [line] = (section["lines"] for section in advice["setting"]["sections"])
    environment = {**os.environ, "HOME": str(tmp_path), "BORG_PASSPHRASE": "secret"}
    # Debian's is older than 2.0.0b11, whose commands have other names, as the place says.
    own = {"REPOSITORY": str(tmp_path / "repo"), "repo-create": "rcreate"}
    made = run(borg, *(own.get(word, word) for word in line.split()[1:]), env=environment)
    assert made.returncode == 0, made
    shown = run(borg, "rinfo", "-r", own["REPOSITORY"], env=environment).stdout.lower().replace("aes256", "aes")
    assert {OCB: "aes-ocb", CHACHA20: "chacha20-poly1305"}[first] in shown, shown


@pytest.mark.parametrize("first", [AES, CCM])
def test_samba_takes_its_lines(advisor, tmp_path, first):
    testparm, advice = program("testparm"), advisor.advice("samba", first, ciphers=(AES, CCM))
    [section] = advice["setting"]["sections"]
    file = tmp_path / "smb.conf"
    file.write_text("\n".join(["[global]", f"  lock directory = {tmp_path}", *section["lines"], ""]))
    check = run(testparm, *advice["setting"]["check"].split()[1:], file)
    assert check.returncode == 0 and "Unknown parameter" not in check.stderr, check
    shown = dict(line.strip().split(" = ") for line in check.stdout.splitlines() if " = " in line)
    for side in ("server", "client"):
        order = shown[f"{side} smb3 encryption algorithms"].replace(",", " ").split()
        assert order[0] == first.upper() and len(order) == 4, order


def caddy_serving(folder, certificate, port, lines):
    caddy, file = program("caddy"), folder / "Caddyfile"
    keys = (
        [f"  tls {certificate.chain} {certificate.key} {{", *lines[1:]]
        if lines
        else [f"  tls {certificate.chain} {certificate.key}"]
    )
    site = [f"https://localhost:{port} {{", "  bind 127.0.0.1", *keys, "  respond 204", "}"]
    file.write_text("\n".join(["{", "  admin off", "  auto_https disable_redirects", "}", *site, ""]))
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    check = run(caddy, "validate", "--config", file, env=environment)
    assert check.returncode == 0 and "Valid configuration" in check.stdout + check.stderr, check
    return serving(port, caddy, "run", "--config", file, env=environment, log=folder / "log")


def test_caddy_has_no_lines_for_aes_and_is_forced_to_chacha20_in_tls_1_2_alone(advisor, certificate, tmp_path):
    if not has_aes():
        pytest.skip("this CPU has no AES instructions, so Go chooses ChaCha20-Poly1305 by itself")
    port, name = free_port(), ("-servername", "localhost")
    assert advisor.advice("caddy", AES, provider="go")["setting"]["sections"] == []
    with caddy_serving(tmp_path, certificate, port, []):
        assert set(both_orders(port, words=name).items()) >= {(("tls1_2", AES), AES), (("tls1_3", AES), AES)}
    [lines] = advisor.lines("caddy", CHACHA20, provider="go")
    with caddy_serving(tmp_path, certificate, port, lines):
        assert set(both_orders(port, ("tls1_2",), name).values()) == {CHACHA20}
        assert both_orders(port, ("tls1_3",), name)["tls1_3", AES] == AES
