//! An address that stays the same while servers behind it come and go.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Takes connections for as long as the test lives, and passes them on to a server, if there is one.
pub struct Relay {
    pub url: String,
    to: Arc<Mutex<Option<SocketAddr>>>,
}

impl Relay {
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let to = Arc::new(Mutex::new(None));
        let known = to.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server: Option<SocketAddr> = *known.lock().unwrap();
                thread::spawn(move || server.map(|server| pass_on(&client, server)));
            }
        });
        Self { url, to }
    }

    /// From now on, connections go to the server of this URL.
    pub fn point_to(&self, url: &str) {
        *self.to.lock().unwrap() = Some(url.trim_start_matches("http://").parse().unwrap());
    }

    /// From now on, nothing is there.
    pub fn point_to_nothing(&self) {
        *self.to.lock().unwrap() = None;
    }
}

fn pass_on(client: &TcpStream, server: SocketAddr) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let up = thread::spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_server);
        let _ = to_server.shutdown(Shutdown::Write);
    });
    let _ = io::copy(&mut &server, &mut &*client);
    let _ = client.shutdown(Shutdown::Both);
    let _ = up.join();
    Ok(())
}
