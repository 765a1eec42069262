//! Servers of TLS, and the libraries and runtimes that have it.

use ciphermeter_core::{Algorithm, Form};

use super::entry::{Choice, Pick, Program, Section, Setting};
use super::suites::{SUITES, openssl12, tls12, tls12_chacha20, tls13};

/// For runtimes that compile while they run, and warm up for seconds in each fork: the two ciphers, and the smallest record, a packet's
/// and a full one.
const CIPHERS: [Algorithm; 2] = [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
const SIZES: [u64; 3] = [64, 1370, 16_385];
/// Columns of a terminal.
const LINE: usize = 80;

pub(super) const NGINX: Program = Program {
    name: "nginx",
    also: "nginx",
    title: "nginx",
    scenario: Some("tls"),
    algorithms: &SUITES,
    providers: &["openssl"],
    says: "nginx uses OpenSSL, so only openssl is measured; `ciphermeter run tls` measures other libraries, too",
    choice: Choice::Free(nginx),
    sources: &[
        "https://nginx.org/en/docs/http/ngx_http_ssl_module.html#ssl_conf_command",
        "https://docs.openssl.org/3.0/man3/SSL_CONF_cmd/",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

fn nginx(Pick { prefers_aes, .. }: Pick) -> Setting {
    let lines = [
        "  ssl_prefer_server_ciphers on;".into(),
        format!("  ssl_ciphers {};", openssl12(prefers_aes)),
        "  ssl_conf_command Ciphersuites".into(),
        format!("    {};", tls13(prefers_aes).join(":")),
    ];
    let lets = "`ssl_conf_command Options PrioritizeChaCha;` lets clients that put ChaCha20 first have it: most of them have no AES instructions.";
    Setting {
        sections: vec![Section::new(
            "nginx.conf, http or server (nginx 1.19.4 or later, OpenSSL 1.1.1 or later)",
            lines,
        )],
        check: Some("nginx -t".into()),
        links: Some("nginx -V"),
        remarks: if prefers_aes { vec![lets] } else { Vec::new() },
    }
}

pub(super) const HAPROXY: Program = Program {
    name: "haproxy",
    also: "haproxy",
    title: "HAProxy",
    scenario: Some("tls"),
    algorithms: &SUITES,
    providers: &["openssl"],
    says: "HAProxy mostly uses OpenSSL, so only openssl is measured; `ciphermeter run tls` measures other libraries, too",
    choice: Choice::Free(haproxy),
    sources: &[
        "https://docs.haproxy.org/2.6/configuration.html#ssl-default-bind-ciphersuites",
        "https://docs.haproxy.org/2.6/configuration.html#5.1-prefer-client-ciphers",
        "https://github.com/haproxy/haproxy/commit/926594f60627c7727befb15c50eb7680f30948a4",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

fn haproxy(Pick { prefers_aes, .. }: Pick) -> Setting {
    let lines = [
        format!("  ssl-default-bind-ciphers {}", openssl12(prefers_aes)),
        format!("  ssl-default-bind-ciphersuites {}", tls13(prefers_aes).join(":")),
    ];
    let itself = "HAProxy always honours clients that prefer ChaCha20. To stop that, remove it from both lists.";
    Setting {
        sections: vec![Section::new("haproxy.cfg, global (HAProxy 1.9 or later, OpenSSL 1.1.1 or later)", lines)],
        check: Some("haproxy -c -f /etc/haproxy/haproxy.cfg".into()),
        links: Some("haproxy -vv"),
        remarks: if prefers_aes { vec![itself] } else { Vec::new() },
    }
}

pub(super) const JAVA: Program = Program {
    name: "java",
    also: "jsse",
    title: "Java",
    scenario: Some("tls"),
    algorithms: &CIPHERS,
    providers: &["sunjce"],
    form: None,
    messages: &SIZES,
    budget: Some(300.0),
    says: "Java's TLS uses the JDK's own ciphers, so only sunjce is measured; `ciphermeter run tls --provider sunjce,conscrypt` measures another",
    overrated: None,
    stand_in: None,
    choice: Choice::Free(java),
    sources: &[
        "https://docs.oracle.com/en/java/javase/17/security/java-secure-socket-extension-jsse-reference-guide.html",
        "https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html#java-command-line-argument-files",
        "https://bugs.openjdk.org/browse/JDK-8140466",
    ],
};

fn java(Pick { prefers_aes, .. }: Pick) -> Setting {
    // A quoted argument goes on behind a backslash, and blanks at the beginning of a line are skipped.
    let mut lines = vec!["\"-Djdk.tls.server.cipherSuites=\\".to_owned()];
    let suites = tls13(prefers_aes).into_iter().chain(tls12(prefers_aes));
    let mut line = String::from(" ");
    for suite in suites {
        // Two more columns end it.
        if line.len() > 1 && line.len() + 1 + suite.len() + 2 > LINE {
            lines.push(std::mem::replace(&mut line, " ".into()) + ",\\");
        }
        line += if line.len() > 1 { "," } else { "" };
        line += suite;
    }
    lines.push(line + "\"");
    Setting {
        sections: vec![Section::new(
            "tls.args, `java @tls.args` or JDK_JAVA_OPTIONS=@tls.args (JDK 12 or later)",
            lines,
        )],
        check: Some("java @tls.args -XshowSettings:properties -version".into()),
        links: None,
        remarks: vec![
            "Clients: jdk.tls.client.cipherSuites. A program's own list overrides both.",
            "These lines are TLS's. In your own code, choose with Cipher.getInstance: \"AES/GCM/NoPadding\" or \"ChaCha20-Poly1305\".",
        ],
    }
}

pub(super) const NODE: Program = Program {
    name: "node",
    also: "nodejs",
    title: "Node.js",
    scenario: Some("tls"),
    algorithms: &CIPHERS,
    providers: &["node-crypto"],
    form: Some(Form::Fresh),
    messages: &SIZES,
    budget: Some(180.0),
    says: "Node.js's own OpenSSL is measured through its module crypto; its TLS calls OpenSSL directly, without going through JavaScript, so short records cost less",
    overrated: None,
    stand_in: None,
    choice: Choice::Free(node),
    sources: &[
        "https://nodejs.org/api/cli.html#--tls-cipher-listlist",
        "https://nodejs.org/api/tls.html#modifying-the-default-tls-cipher-suite",
    ],
};

fn node(Pick { prefers_aes, .. }: Pick) -> Setting {
    let list = format!("{}:{}", tls13(prefers_aes).join(":"), openssl12(prefers_aes));
    Setting {
        sections: vec![Section::new(
            "the command line, or NODE_OPTIONS (Node.js 12 or later)",
            [format!("  node --tls-cipher-list={list}")],
        )],
        check: Some(format!("node --tls-cipher-list={list} -p tls.DEFAULT_CIPHERS")),
        links: Some("node -p process.versions.openssl"),
        remarks: vec![
            "Servers prefer their own order; a server's option `ciphers` replaces this list. TLS calls OpenSSL directly, without going through JavaScript, so short records cost less than measured.",
            "This list is TLS's. In your own code, choose with crypto.createCipheriv: 'aes-256-gcm' or 'chacha20-poly1305'.",
        ],
    }
}

pub(super) const RUSTLS: Program = Program {
    name: "rustls",
    also: "rustls",
    title: "rustls",
    scenario: Some("tls"),
    algorithms: &SUITES,
    providers: &["aws-lc", "ring"],
    says: "rustls takes its ciphers from aws-lc-rs, the default since 0.23, or from ring, so only these are measured",
    choice: Choice::Free(rustls),
    sources: &[
        "https://docs.rs/crate/rustls/0.23.46/features",
        "https://docs.rs/rustls/0.23/rustls/crypto/struct.CryptoProvider.html",
        "https://docs.rs/rustls/0.23/rustls/server/struct.ServerConfig.html#structfield.ignore_client_order",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

fn rustls(Pick { prefers_aes, provider, .. }: Pick) -> Setting {
    // aws-lc-rs is among the default features; ring is not, and stands beside the others of them.
    let (module, add, links) = match provider {
        "ring" => ("ring", "--no-default-features --features ring,std,tls12,logging", "cargo tree -e normal -i ring"),
        _ => ("aws_lc_rs", "--features aws_lc_rs", "cargo tree -e normal -i aws-lc-rs"),
    };
    // Sorting keeps the order of equals, and `false` comes first.
    let is_last = if prefers_aes { "CHACHA20" } else { "AES" };
    let lines = [
        format!("  // cargo add rustls {add}"),
        format!("  let mut provider = rustls::crypto::{module}::default_provider();"),
        "  provider.cipher_suites.sort_by_key(|suite| {".into(),
        format!("      suite.suite().as_str().is_some_and(|name| name.contains(\"{is_last}\"))"),
        "  });".into(),
        "  config.ignore_client_order = true;".into(),
    ];
    Setting {
        sections: vec![Section::new("ServerConfig::builder_with_provider(provider.into()) (rustls 0.23)", lines)],
        check: Some("cargo check".into()),
        links: Some(links),
        remarks: vec![
            "These lines are TLS's. In your own code, choose aead::AES_256_GCM or aead::CHACHA20_POLY1305 of either library.",
        ],
    }
}

pub(super) const GO: Program = Program {
    name: "go",
    also: "golang",
    title: "Go",
    scenario: Some("tls"),
    algorithms: &SUITES,
    providers: &["go"],
    says: "Go's crypto/tls uses Go's own ciphers, so only go is measured; it chooses by itself between AES-GCM and ChaCha20-Poly1305",
    choice: Choice::Free(go),
    sources: &["https://pkg.go.dev/crypto/tls#Config", "https://go.dev/blog/tls-cipher-suites"],
    ..Program::LIKE_ITS_SCENARIO
};

/// crypto/tls decides by the AES instructions of both ends, and takes no order (Go 1.17). A set of suites that lacks one only shuts out
/// clients, so there are lines only where Go's own choice is the slower one.
fn go(Pick { prefers_aes, has_aes, .. }: Pick) -> Setting {
    let itself = "Go chooses by itself: AES-GCM where both ends have AES instructions, else ChaCha20-Poly1305. Leave CipherSuites unset.";
    let own = "This is about TLS. In your own code, choose cipher.NewGCM or chacha20poly1305.New.";
    if prefers_aes || !has_aes {
        return Setting { sections: Vec::new(), check: None, links: None, remarks: vec![itself, own] };
    }
    let suites = tls12_chacha20().iter().map(|suite| format!("      tls.{suite},"));
    let lines = std::iter::once("  config.CipherSuites = []uint16{".to_owned()).chain(suites).chain(["  }".to_owned()]);
    Setting {
        sections: vec![
            Section::new("TLS 1.2 alone, in a tls.Config (Go 1.17 or later)", lines)
                .with_warning("Clients of TLS 1.2 without ChaCha20-Poly1305 are refused."),
        ],
        check: Some("go vet".into()),
        links: None,
        remarks: vec![
            "Unset, and always in TLS 1.3, Go takes AES-GCM where both ends have AES instructions, else ChaCha20-Poly1305.",
            "net/http's HTTP/2 server does not start without an AES-128-GCM suite in that set: leave it unset there.",
            own,
        ],
    }
}
