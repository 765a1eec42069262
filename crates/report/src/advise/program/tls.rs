//! Servers of TLS, and the libraries and runtimes that have it.

use ciphermeter_core::{Algorithm, Form};

use super::entry::{Choice, Pick, Program, Section, Setting};
use super::suites::{SUITES, longer_key, openssl12, tls12, tls12_chacha20, tls13};

/// For runtimes that compile while they run, and warm up for seconds in each fork: the smallest record, a packet's and a full one.
const SIZES: [u64; 3] = [64, 1370, 16_385];
/// Columns of a terminal.
const LINE: usize = 80;
/// The suite that a server gives, on which files that a check does not read have their say, too.
const EFFECT: &str = "After a reload: openssl s_client -brief -connect HOST:443 </dev/null";

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
        "https://nginx.org/en/docs/http/ngx_http_ssl_module.html#ssl_ciphers",
        "https://nginx.org/en/CHANGES",
        "https://docs.openssl.org/3.0/man3/SSL_CONF_cmd/",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

fn nginx(Pick { prefers_aes, .. }: Pick) -> Setting {
    // Before 1.23.4 its default lacks TLS 1.3; these two are all of its default since 1.27.3.
    let lines = [
        "  ssl_protocols TLSv1.2 TLSv1.3; ssl_prefer_server_ciphers on;".into(),
        format!("  ssl_ciphers {};", openssl12(prefers_aes, "HIGH:!aNULL:!MD5")),
        "  ssl_conf_command Ciphersuites".into(),
        format!("    {};", tls13(prefers_aes).join(":")),
    ];
    let obeys =
        "Phones without AES instructions prefer ChaCha20: `ssl_conf_command Options PrioritizeChaCha;` obeys them.";
    Setting {
        sections: vec![
            Section::new("nginx.conf, http or server (nginx 1.19.4 or later, OpenSSL 1.1.1 or later)", lines)
                .with_warning("Replace lines of these names; keep your list in place of HIGH and the rest."),
        ],
        check: Some("nginx -t".into()),
        links: Some("nginx -V"),
        remarks: [EFFECT, longer_key(prefers_aes)].into_iter().chain(prefers_aes.then_some(obeys)).collect(),
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
        "https://docs.openssl.org/3.0/man1/openssl-ciphers/#cipher-strings",
        "https://docs.haproxy.org/2.6/configuration.html#5.1-prefer-client-ciphers",
        "https://github.com/haproxy/haproxy/commit/926594f60627c7727befb15c50eb7680f30948a4",
    ],
    ..Program::LIKE_ITS_SCENARIO
};

fn haproxy(Pick { prefers_aes, .. }: Pick) -> Setting {
    // `DEFAULT`, which may only stand first, is this.
    let lines = [
        format!("  ssl-default-bind-ciphers {}", openssl12(prefers_aes, "ALL:!COMPLEMENTOFDEFAULT")),
        format!("  ssl-default-bind-ciphersuites {}", tls13(prefers_aes).join(":")),
    ];
    let itself = "HAProxy gives ChaCha20 to clients that put it first, as phones without AES instructions do.";
    Setting {
        sections: vec![
            Section::new("haproxy.cfg, global (HAProxy 1.9 or later, OpenSSL 1.1.1 or later)", lines)
                .with_warning("Replace lines of these names; keep your list in place of ALL and the rest."),
        ],
        check: Some("haproxy -c -f /etc/haproxy/haproxy.cfg".into()),
        links: Some("haproxy -vv"),
        remarks: [EFFECT, longer_key(prefers_aes)].into_iter().chain(prefers_aes.then_some(itself)).collect(),
    }
}

pub(super) const JAVA: Program = Program {
    name: "java",
    also: "jsse",
    title: "Java",
    scenario: Some("tls"),
    algorithms: &Algorithm::USUAL,
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

/// A list replaces the default of dozens of suites and cannot name it, so there is one only where another order is wanted.
fn java(Pick { prefers_aes, .. }: Pick) -> Setting {
    let own = "These lines are TLS's. In your own code, choose with Cipher.getInstance: \"AES/GCM/NoPadding\" or \"ChaCha20-Poly1305\".";
    if prefers_aes {
        let itself = "Java's servers put AES-GCM first by themselves (JDK 12 or later). Leave jdk.tls.server.cipherSuites unset. A program's own list overrides that.";
        let own = "This is about TLS. In your own code, choose Cipher.getInstance(\"AES/GCM/NoPadding\").";
        return Setting { sections: Vec::new(), check: None, links: None, remarks: vec![itself, own] };
    }
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
        sections: vec![
            Section::new("tls.args, `java @tls.args` or JDK_JAVA_OPTIONS=@tls.args (JDK 12 or later)", lines)
                .with_warning("Clients of TLS 1.2 with none of these suites are refused."),
        ],
        check: Some("java @tls.args -XshowSettings:properties -version".into()),
        links: None,
        remarks: vec!["Clients: jdk.tls.client.cipherSuites. A program's own list overrides both.", own],
    }
}

pub(super) const NODE: Program = Program {
    name: "node",
    also: "nodejs",
    title: "Node.js",
    scenario: Some("tls"),
    algorithms: &Algorithm::USUAL,
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
        "https://github.com/nodejs/node/blob/main/src/node_constants.h",
    ],
};

fn node(Pick { prefers_aes, .. }: Pick) -> Setting {
    // What its default ends with: the other names there exclude nothing of HIGH, and `-` needs no quotes in a shell.
    let default = "HIGH:-aNULL:-PSK:-SRP:-CAMELLIA";
    let list = format!("{}:{}", tls13(prefers_aes).join(":"), openssl12(prefers_aes, default));
    Setting {
        sections: vec![Section::new(
            "the command line, or NODE_OPTIONS (Node.js 12 or later)",
            [format!("  node --tls-cipher-list={list}")],
        )],
        check: Some("openssl s_client -brief -connect HOST:PORT </dev/null".into()),
        links: Some("node -p process.versions.openssl"),
        remarks: vec![
            "It is the list of outgoing connections, too. An option `ciphers` replaces it.",
            "TLS calls OpenSSL directly, without going through JavaScript, so short records cost less than measured.",
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
