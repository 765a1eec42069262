//! kTLS: the kernel seals what is written to a socket and opens what is read from it, under the keys of a handshake
//! that a library made (Linux's Documentation/networking/tls.rst).
//!
//! The keys are those of a benchmark's connection and protect random bytes; the kernel's own copy lives as long as the
//! socket.

use std::net::TcpStream;

use rustls::ExtractedSecrets;

use crate::error::Error;

/// One of the two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Client,
    Server,
}

/// Whether the kernel takes TLS; otherwise why not.
pub(super) fn probe() -> Result<(), Error> {
    system::probe()
}

/// Gives a connection's keys to the kernel.
///
/// A library may have read records with the end of the handshake, which the kernel would never see. So the server writes
/// first: a byte, when its kernel is ready. The client sends nothing before that byte.
pub(super) fn take_over(mut socket: TcpStream, secrets: ExtractedSecrets, end: End) -> Result<TcpStream, Error> {
    use std::io::{Read, Write};

    use super::receipts::lost;

    system::take_over(&socket, secrets)?;
    match end {
        End::Server => socket.write_all(&[READY]).map_err(lost)?,
        End::Client => {
            let mut byte = [0];
            socket.read_exact(&mut byte).map_err(lost)?;
            if byte != [READY] {
                return Err(ciphermeter_transfer::Error::Frame("no readiness").into());
            }
        }
    }
    Ok(socket)
}

const READY: u8 = b'r';

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    use nix::errno::Errno;
    use nix::libc;
    use nix::sys::socket::setsockopt;
    use nix::sys::socket::sockopt::{TcpTlsRx, TcpTlsTx, TcpUlp, TlsCryptoInfo};
    use rustls::{ConnectionTrafficSecrets, ExtractedSecrets};

    use crate::error::Error;
    use crate::providers::receipts::lost;
    use crate::system::without_module;

    /// The kernel has TLS, perhaps as a module that the first socket loads: only a connected socket tells.
    pub(super) fn probe() -> Result<(), Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(lost)?;
        let socket = TcpStream::connect(listener.local_addr().map_err(lost)?).map_err(lost)?;
        match setsockopt(&socket, TcpUlp::default(), b"tls") {
            Ok(()) => Ok(()),
            Err(Errno::ENOENT) => Err(without_module("tls", "TLS, or has not loaded it")),
            Err(why) => Err(Error::local(format!("the kernel refuses TLS: {why}"))),
        }
    }

    pub(super) fn take_over(socket: &TcpStream, secrets: ExtractedSecrets) -> Result<(), Error> {
        let failed = |why: Errno| Error::lost("giving the keys to the kernel", io::Error::from(why));
        setsockopt(socket, TcpUlp::default(), b"tls").map_err(failed)?;
        setsockopt(socket, TcpTlsTx, &keys(secrets.tx)?).map_err(failed)?;
        setsockopt(socket, TcpTlsRx, &keys(secrets.rx)?).map_err(failed)
    }

    /// A direction's keys as the kernel takes them: in TLS 1.3 its "salt" and "iv" are the two parts of the static IV.
    fn keys((sequence, secrets): (u64, ConnectionTrafficSecrets)) -> Result<TlsCryptoInfo, Error> {
        let info = |cipher_type| libc::tls_crypto_info { version: libc::TLS_1_3_VERSION, cipher_type };
        let rec_seq = sequence.to_be_bytes();
        let odd = || Error::local("rustls gave keys of a length that is not the suite's");
        Ok(match secrets {
            ConnectionTrafficSecrets::Aes256Gcm { key, iv } => {
                let (salt, iv) = iv.as_ref().split_at_checked(4).ok_or_else(odd)?;
                TlsCryptoInfo::Aes256Gcm(libc::tls12_crypto_info_aes_gcm_256 {
                    info: info(libc::TLS_CIPHER_AES_GCM_256),
                    iv: iv.try_into().map_err(|_| odd())?,
                    key: key.as_ref().try_into().map_err(|_| odd())?,
                    salt: salt.try_into().map_err(|_| odd())?,
                    rec_seq,
                })
            }
            ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => {
                TlsCryptoInfo::Chacha20Poly1305(libc::tls12_crypto_info_chacha20_poly1305 {
                    info: info(libc::TLS_CIPHER_CHACHA20_POLY1305),
                    iv: iv.as_ref().try_into().map_err(|_| odd())?,
                    key: key.as_ref().try_into().map_err(|_| odd())?,
                    salt: [],
                    rec_seq,
                })
            }
            _ => return Err(Error::local("a suite that no transfer asks for")),
        })
    }

    #[cfg(test)]
    mod tests {
        use rustls::crypto::cipher::{AeadKey, Iv};

        use super::*;

        /// The kernel puts nonces together again: salt, iv, then the number of the record over the last eight bytes.
        #[test]
        fn keys_are_laid_out_as_the_kernel_reads_them() {
            let (key, iv) = (|| AeadKey::from([7; 32]), || Iv::from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
            let aes = ConnectionTrafficSecrets::Aes256Gcm { key: key(), iv: iv() };
            let Ok(TlsCryptoInfo::Aes256Gcm(given)) = keys((258, aes)) else { panic!("other keys") };
            assert_eq!((given.info.version, given.info.cipher_type), (0x0304, 52));
            assert_eq!((given.salt, given.iv), ([1, 2, 3, 4], [5, 6, 7, 8, 9, 10, 11, 12]));
            assert_eq!((given.key, given.rec_seq), ([7; 32], [0, 0, 0, 0, 0, 0, 1, 2]));
            let chacha = ConnectionTrafficSecrets::Chacha20Poly1305 { key: key(), iv: iv() };
            let Ok(TlsCryptoInfo::Chacha20Poly1305(given)) = keys((0, chacha)) else { panic!("other keys") };
            assert_eq!((given.info.cipher_type, given.iv[11], given.rec_seq), (54, 12, [0; 8]));
        }

        #[test]
        fn kernel_without_tls_says_what_to_do() {
            if let Err(why) = probe() {
                let (why, module) = (why.to_string(), ["modprobe tls", "the module tls"]);
                assert!(module.iter().any(|module| why.contains(module)), "{why}");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::net::TcpStream;

    use rustls::ExtractedSecrets;

    use crate::error::Error;

    pub(super) fn probe() -> Result<(), Error> {
        Err(Error::local("this system's kernel takes no TLS from programs; Linux does"))
    }

    pub(super) fn take_over(_: &TcpStream, _: ExtractedSecrets) -> Result<(), Error> {
        probe()
    }
}
