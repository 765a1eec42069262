//! The other end of a transfer, started through ssh: `ciphermeter send FILE… HOST:FOLDER`, `ciphermeter recv HOST:PATH`.
//!
//! The local end runs `ssh -T -- HOST ciphermeter recv --started-by-ssh` (or `send`) and sends one line over its standard input: a
//! request with every option, so nothing is quoted for a shell there and nothing shows in a list of processes. The
//! remote end listens and answers with one line that has the ticket. The data then goes from end to end, not through
//! ssh, which stays open for messages and for the end: when its input ends, the remote end knows that nobody may come.
//!
//! - [`place`]: `HOST:PATH` · [`line`]: the two lines, bounded · [`request`]: what stands in them
//! - [`login`]: which ssh, which host, which program there · [`addresses`]: where the remote end is reached
//! - [`remote_end`], at the local end: the running ssh · [`failure`]: why there was no answer
//! - [`served`], at the remote end: the request, the answer, and the end of its input

mod addresses;
mod failure;
mod line;
mod login;
mod place;
mod remote_end;
mod request;
mod served;
mod shown_lines;

pub use addresses::{failed, is_any_listening, reachable, ticket};
pub use failure::unexpected;
pub use login::Login;
pub use place::Place;
pub use remote_end::{RemoteEnd, end_running};
pub use request::{Answer, ReceiveRequest, SendRequest};
pub use served::{LocalEnd, exit_after, listening_address, path_here, remote_error};
