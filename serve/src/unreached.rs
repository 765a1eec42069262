//! Why a server was not reached, with what to do: of TLS above all, whose errors are hard to read.

use ciphermeter_core::escaped;
use rustls::{CertificateError, Error as TlsError};

/// A sentence's rest for an error of a request to this server, `https://HOST:PORT`.
pub fn why(url: &str, error: &ureq::Error) -> String {
    let is_tls = url.starts_with("https://");
    match tls(error) {
        Some(why) => of_tls(why),
        // The server ended, or what answers is another protocol, most often TLS.
        None if !is_tls && is_no_http(error) => {
            format!("no answer of HTTP came; if the server speaks HTTPS, write {} in --to", swapped(url))
        }
        None => of_io(error),
    }
}

fn of_io(error: &ureq::Error) -> String {
    match error {
        ureq::Error::HostNotFound => "its name is not known here: see that it is written right in --to".into(),
        ureq::Error::Io(why) if why.kind() == std::io::ErrorKind::ConnectionRefused => {
            "nothing listens there: see that the server runs, and that its address is written right in --to".into()
        }
        ureq::Error::Io(why) => escaped(&why.to_string()),
        other => escaped(&other.to_string()),
    }
}

/// What TLS says, wherever it is wrapped in.
fn tls(error: &ureq::Error) -> Option<&TlsError> {
    match error {
        ureq::Error::Rustls(why) => Some(why),
        ureq::Error::Io(why) => why.get_ref()?.downcast_ref(),
        _ => None,
    }
}

fn is_no_http(error: &ureq::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    match error {
        ureq::Error::Protocol(_) => true,
        ureq::Error::Io(why) => {
            matches!(why.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
        }
        _ => false,
    }
}

fn swapped(url: &str) -> String {
    url.replacen("http://", "https://", 1)
}

fn of_tls(error: &TlsError) -> String {
    match error {
        TlsError::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "nothing here vouches for its certificate; if the server made it itself, copy the file that it prints when it starts, and name \
             the copy with --certificate"
                .into()
        }
        TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "its certificate is for other names: write one of these in --to, or start the server with --host and a certificate that \
              holds for this name"
            .into(),
        TlsError::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "its certificate has expired: renew it there; or this machine's clock is wrong".into()
        }
        TlsError::InvalidCertificate(CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) => {
            "its certificate is not valid yet: set this machine's clock, or the one of the server".into()
        }
        TlsError::InvalidMessage(_) => "what answers there speaks no TLS; if it is HTTP, write http:// in --to".into(),
        other => format!("TLS failed: {}", escaped(&other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_of_a_certificate_has_its_remedy() {
        let io = |error: TlsError| ureq::Error::Io(std::io::Error::new(std::io::ErrorKind::InvalidData, error));
        for (error, remedy) in [
            (CertificateError::UnknownIssuer, "--certificate"),
            (CertificateError::NotValidForName, "--host"),
            (CertificateError::Expired, "renew"),
            (CertificateError::NotValidYet, "clock"),
            (CertificateError::BadEncoding, "TLS failed: "),
        ] {
            let said = why("https://team.example", &io(TlsError::InvalidCertificate(error)));
            assert!(said.contains(remedy), "{said}");
        }
    }
}
