"""The lines that `advise --for` prints for servers that link OpenSSL: nginx, HAProxy, Apache and PostgreSQL.

Each takes them, negotiates what the answer says, whichever cipher a client puts first, and still serves older clients.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import pytest
from ports import free_port

from advice import AES, ANSWERS, CHACHA20, program
from suites import OLDER, SUITES, both_orders, run, serving, shown, suites_of, taken


def effect_of(advice) -> str:
    """The command that shows the suite."""
    [command] = [remark for remark in advice["setting"]["remarks"] if remark.startswith("After a reload: ")]
    return command.removeprefix("After a reload: ")


def nginx_keys(certificate) -> str:
    both = (certificate, certificate.rsa)
    return "".join(f"ssl_certificate {one.chain}; ssl_certificate_key {one.key}; " for one in both)


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
    listen 127.0.0.1:{port} ssl; {nginx_keys(certificate)}
    return 204;
  }}
}}
"""


def nginx_of_debian(folder, certificate, port, lines, *, replaces: bool) -> str:
    """Its own file with these lines in `http`, in place of those of their names or beside them, and one server."""
    file = Path("/etc/nginx/nginx.conf")
    if not file.exists() or "sites-enabled" not in file.read_text():
        pytest.skip("there is no nginx.conf of Debian")
    own = re.sub(r"(?m)^user .*|^include .*modules-enabled.*|.*conf\.d.*", "", file.read_text())
    own = own.replace("/run/nginx.pid", f"{folder}/nginx.pid").replace("/var/log/nginx", str(folder))
    if replaces:
        names = re.findall(r"(?:^|; ) *(ssl_\w+)", "\n".join(lines), re.MULTILINE)
        assert {"ssl_protocols", "ssl_prefer_server_ciphers", "ssl_ciphers"} <= set(names), names
        own = re.sub(rf"(?m)^\s*({'|'.join(names)})\s.*", "", own)
    server = f"server {{ listen 127.0.0.1:{port} ssl; {nginx_keys(certificate)} return 204; }}"
    own = re.sub(r"(?m)^.*sites-enabled.*", server, own)
    return "daemon off; " + own.replace("http {", "http {\n" + "\n".join(lines), 1)


def nginx_serving(folder, conf, port):
    command = [program("nginx"), "-c", folder / "nginx.conf", "-e", folder / "error.log"]
    (folder / "nginx.conf").write_text(conf)
    return serving(port, *command, log=folder / "log")


@ANSWERS
def test_nginx_takes_its_lines_and_prefers_the_answer(advisor, certificate, tmp_path, first):
    nginx, port, conf = program("nginx"), free_port(), tmp_path / "nginx.conf"
    advice = advisor.advice("nginx", first)
    [section] = advice["setting"]["sections"]
    text = nginx_conf(tmp_path, certificate, port, section["lines"])
    conf.write_text(text)
    check = run(nginx, "-t", "-c", conf, "-e", tmp_path / "error.log")
    assert check.returncode == 0 and "syntax is ok" in check.stderr, check
    with nginx_serving(tmp_path, text, port):
        assert set(both_orders(port).values()) == {first}
        # Version 1.22 has TLS 1.3 only by its own line.
        assert shown(port, effect_of(advice)) == SUITES["tls1_3"][first]
        served = taken(port)
    with nginx_serving(tmp_path, nginx_conf(tmp_path, certificate, port, []), port):
        assert served == taken(port) == set(OLDER)


@ANSWERS
def test_nginx_lines_replace_those_of_debian(advisor, certificate, tmp_path, first):
    nginx, port, conf = program("nginx"), free_port(), tmp_path / "nginx.conf"
    [section] = advisor.advice("nginx", first)["setting"]["sections"]
    assert section["warning"].startswith("Replace lines of these names")
    conf.write_text(nginx_of_debian(tmp_path, certificate, port, section["lines"], replaces=False))
    beside = run(nginx, "-t", "-c", conf, "-e", tmp_path / "error.log")
    assert beside.returncode != 0 and "is duplicate" in beside.stderr, beside
    replaced = nginx_of_debian(tmp_path, certificate, port, section["lines"], replaces=True)
    with nginx_serving(tmp_path, replaced, port):
        assert set(both_orders(port).values()) == {first}


def test_nginx_gives_chacha20_to_clients_that_put_it_first_where_its_remark_says_how(advisor, certificate, tmp_path):
    port = free_port()
    advice = advisor.advice("nginx", AES)
    [remark] = [remark for remark in advice["setting"]["remarks"] if "PrioritizeChaCha" in remark]
    line = remark.split("`")[1]
    conf = nginx_conf(tmp_path, certificate, port, [*advice["setting"]["sections"][0]["lines"], line])
    with nginx_serving(tmp_path, conf, port):
        assert all(asked == got for (_, asked), got in both_orders(port).items())


def haproxy_conf(certificate, port, lines) -> str:
    keys = f"crt {certificate.both} crt {certificate.rsa.both}"
    frontend = (
        f"defaults\n  mode http\n  timeout client 5s\n  timeout server 5s\n  timeout connect 5s\n"
        f"frontend here\n  bind 127.0.0.1:{port} ssl {keys} ssl-min-ver TLSv1.2\n"
        "  http-request return status 204\n"
    )
    return "\n".join(["global", *lines, frontend])


def haproxy_serving(folder, conf, port):
    haproxy, file = program("haproxy"), folder / "haproxy.cfg"
    file.write_text(conf)
    check = run(haproxy, "-c", "-f", file)
    assert check.returncode == 0, check
    return serving(port, haproxy, "-db", "-f", file, log=folder / "log")


def prefers(port, first) -> bool:
    """As its manual and the remark say: a client that puts ChaCha20 first has it."""
    got = both_orders(port)
    return got == {order: first if first == CHACHA20 else order[1] for order in got}


@ANSWERS
def test_haproxy_takes_its_lines_and_prefers_the_answer(advisor, certificate, tmp_path, first):
    port, advice = free_port(), advisor.advice("haproxy", first)
    [section] = advice["setting"]["sections"]
    with haproxy_serving(tmp_path, haproxy_conf(certificate, port, section["lines"]), port):
        assert prefers(port, first)
        assert shown(port, effect_of(advice)) == SUITES["tls1_3"][first]
        served = taken(port)
    with haproxy_serving(tmp_path, haproxy_conf(certificate, port, []), port):
        assert served == taken(port) == set(OLDER)


@ANSWERS
def test_haproxy_lines_replace_those_of_debian_and_keep_its_list(advisor, certificate, tmp_path, first):
    file = Path("/etc/haproxy/haproxy.cfg")
    debian = re.findall(r"(?m)^\s*ssl-default-bind-\w+ .*", file.read_text()) if file.exists() else []
    if not debian:
        pytest.skip("there is no haproxy.cfg of Debian")
    port = free_port()
    [section] = advisor.advice("haproxy", first)["setting"]["sections"]
    lines = section["lines"]
    # Its last line counts, so those above change nothing.
    with haproxy_serving(tmp_path, haproxy_conf(certificate, port, [*lines, *debian]), port):
        assert not prefers(port, CHACHA20)
    assert section["warning"].startswith("Replace lines of these names; keep your list in place of ALL")
    [own] = [line.split()[1] for line in debian if line.split()[0] == lines[0].split()[0]]
    lines = [lines[0].replace("ALL:!COMPLEMENTOFDEFAULT", own), lines[1]]
    others = [line for line in debian if line.split()[0] not in {mine.split()[0] for mine in lines}]
    with haproxy_serving(tmp_path, haproxy_conf(certificate, port, [*lines, *others]), port):
        assert prefers(port, first)
        assert taken(port) == set(), "what Debian's list leaves out stays out"


MODULES = ("mpm_event", "authz_core", "ssl", "socache_shmcb")


def apache_conf(folder, certificate, port, lines) -> str:
    load = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in MODULES)
    both = (certificate, certificate.rsa)
    keys = "".join(f"SSLCertificateFile {one.chain}\nSSLCertificateKeyFile {one.key}\n" for one in both)
    return f"""{load}ServerName localhost
PidFile {folder}/pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/error.log
Listen 127.0.0.1:{port}
User nobody
Group nogroup
<VirtualHost 127.0.0.1:{port}>
SSLEngine on
{keys}{chr(10).join(lines)}
</VirtualHost>
"""


def apache_serving(folder, conf, port):
    apache, file = program("apache2"), folder / "apache.conf"
    file.write_text(conf)
    check = run(apache, "-t", "-d", folder, "-f", file)
    assert check.returncode == 0 and "Syntax OK" in check.stderr, check
    return serving(port, apache, "-D", "FOREGROUND", "-d", folder, "-f", file, log=folder / "log")


@ANSWERS
def test_apache_takes_its_lines_and_prefers_the_answer(advisor, certificate, tmp_path, first):
    port, advice = free_port(), advisor.advice("apache", first)
    [section] = advice["setting"]["sections"]
    with apache_serving(tmp_path, apache_conf(tmp_path, certificate, port, section["lines"]), port):
        assert set(both_orders(port).values()) == {first}
        assert shown(port, effect_of(advice)) == SUITES["tls1_3"][first]
        served = taken(port)
    # As the command says that names the library.
    assert "OpenSSL/" in (tmp_path / "error.log").read_text()
    with apache_serving(tmp_path, apache_conf(tmp_path, certificate, port, []), port):
        assert served == taken(port) == set(OLDER)


def test_apache_obeys_phones_as_the_remark_says(advisor, certificate, tmp_path):
    port, advice = free_port(), advisor.advice("apache", AES)
    [remark] = [remark for remark in advice["setting"]["remarks"] if "PrioritizeChaCha" in remark]
    lines = [*advice["setting"]["sections"][0]["lines"], remark.split("`")[1]]
    with apache_serving(tmp_path, apache_conf(tmp_path, certificate, port, lines), port):
        assert all(asked == got for (_, asked), got in both_orders(port).items())


POSTGRES = Path("/usr/lib/postgresql")


@pytest.fixture
def postgres():
    """A data folder of PostgreSQL, the command that starts the newest one there, not as root, and its version."""
    found = sorted(POSTGRES.glob("*/bin"), key=lambda folder: int(folder.parent.name))
    if not found:
        pytest.skip("there is no PostgreSQL")
    with tempfile.TemporaryDirectory() as home:
        data = Path(home) / "data"
        shutil.chown(home, "postgres")
        words = ("runuser", "-u", "postgres", "--")
        made = run(*words, found[-1] / "initdb", "--no-sync", "--auth", "trust", "-D", data)
        assert made.returncode == 0, made
        yield data, (*words, found[-1] / "postgres", "-D", data), int(found[-1].parent.name)


def postgres_serving(postgres, certificate, port, lines, log):
    data, command, _ = postgres
    for name, file in (("server.crt", certificate.chain), ("server.key", certificate.key)):
        (data / name).write_bytes(file.read_bytes())
        shutil.chown(data / name, "postgres")
        (data / name).chmod(0o600)
    own = [f"port = {port}", "listen_addresses = '127.0.0.1'", f"unix_socket_directories = '{data}'", "ssl = on"]
    (data / "postgresql.conf").write_text("\n".join([*own, *lines, ""]))
    return serving(port, *command, log=log)


@ANSWERS
def test_postgres_takes_its_lines_and_prefers_the_answer(advisor, certificate, postgres, tmp_path, first):
    port, advice = free_port(), advisor.advice("postgres", first)
    [older, newer] = (section["lines"] for section in advice["setting"]["sections"])
    (_, command, version), starts = postgres, ("-starttls", "postgres")
    with postgres_serving(postgres, certificate, port, older, tmp_path / "log"):
        assert set(both_orders(port, ("tls1_2",), starts).values()) == {first}
        # As the remark says: before 18, the lines leave TLS 1.3 as OpenSSL has it.
        assert set(both_orders(port, ("tls1_3",), starts).values()) == {AES}
        assert shown(port, advice["setting"]["check"]) == SUITES["tls1_3"][AES]
    [shows] = [remark.split("`")[1] for remark in advice["setting"]["remarks"] if remark.startswith("Before a reload")]
    shows = [command[-1] if word == "DATA" else word for word in shows.split()[1:]]
    assert run(*command[:-2], *shows).stdout.strip() == older[1].split("'")[1]
    if version >= 18:
        with postgres_serving(postgres, certificate, port, [*older, *newer], tmp_path / "log"):
            assert set(both_orders(port, ("tls1_3",), starts).values()) == {first}


def test_postgres_before_18_does_not_start_with_the_line_for_tls_1_3(advisor, postgres):
    data, command, version = postgres
    if version >= 18:
        pytest.skip("PostgreSQL 18 has it")
    _, section = advisor.advice("postgres", AES)["setting"]["sections"]
    assert "18 or later; older ones do not start" in section["place"]
    (data / "postgresql.conf").write_text("\n".join(section["lines"]) + "\n")
    assert "unrecognized configuration parameter" in run(*command).stderr


@ANSWERS
def test_lists_have_the_suites_of_the_defaults_and_no_others(advisor, first):
    nginx = advisor.lines("nginx", first)[0][1].split()[1].rstrip(";")
    haproxy = advisor.lines("haproxy", first)[0][0].split()[1]
    assert suites_of(nginx) == suites_of("HIGH:!aNULL:!MD5")
    assert suites_of(haproxy) == suites_of("DEFAULT")
    apache = advisor.lines("apache", first)[0][1].split()[1]
    assert suites_of(apache) == suites_of("HIGH:!aNULL")
    postgres = advisor.lines("postgres", first)[0][1].split("'")[1]
    assert suites_of(postgres) == suites_of("HIGH:MEDIUM:+3DES:!aNULL")
    node = program("node")
    [[line]] = advisor.lines("node", first, provider="node-crypto", form="fresh")
    default = run(node, "-p", "tls.DEFAULT_CIPHERS").stdout.strip()
    assert suites_of(line.split("=")[1]) == suites_of(default) != set()


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
