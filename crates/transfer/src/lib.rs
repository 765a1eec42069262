//! Encrypted files over TCP, at the hardware's speed, with the suite that is fastest for both ends together.
//!
//! WIRE.md beside this crate is the format and the threat model. The layers, each built on those above it:
//!
//! - words: `suite`, `ticket`, `name`, `piece`, `secret`, `sentence`, `wire`
//! - bytes: `frame` and `hello` on data connections, `message` and `channel` for control
//! - secrets: `identity` and `tls`, `key`, `seal`; `ticket_stream`, for another protocol than transfers
//! - files: `walk` and `source` on the sending side; `target`, `parts`, `journal`, `ranges` on the receiving one
//! - `rates`: how fast both ends are, and which suite that selects
//! - [`send`] and [`Receiver`]: the two ends
//!
//! Everything from outside is bounded before memory is allocated for it, and nothing that fails to open is kept.

#![forbid(unsafe_code)]

mod address;
mod arrived;
mod channel;
mod connect;
mod digest;
mod error;
mod exclude;
mod frame;
mod hello;
mod holes;
mod identity;
mod journal;
mod kept;
mod key;
mod limit;
mod link;
mod listen;
mod message;
mod moving;
mod name;
mod parts;
mod patience;
mod piece;
mod progress;
mod ranges;
mod rates;
mod receive;
mod report;
mod seal;
mod secret;
mod send;
mod sentence;
mod source;
mod spent;
mod suite;
mod sync;
mod target;
mod ticket;
mod ticket_stream;
mod timed;
mod tls;
mod tried;
mod walk;
mod wire;

pub use address::{BadAddress, listen_address, resolve};
pub use digest::FileDigest;
pub use error::Error;
pub use exclude::{BadPattern, Excludes};
pub use frame::{CHUNK, FrameKind, FrameReader, HEADER, Header};
pub use hello::{HELLO, Hello, TransferId};
pub use identity::Identity;
pub use journal::{Entry, Journal, JournalError, MAX_JOURNAL, MAX_LINE, replay};
pub use kept::{Begun, KEPT_FOR, Kept, Standing};
pub use limit::LEAST;
pub use link::{BadLink, LinkTarget};
pub use message::{
    BATCH, FromReceiver, FromSender, MAX_MESSAGE, MAX_STREAMS, OfferedFile, Skipped, Unplaced, Withdrawn,
    parse_message, read_line, write_message,
};
pub use moving::Moving;
pub use name::{BadName, MAX_NAME, MAX_PART, MAX_PARTS, Name, STATE_PREFIX};
pub use parts::{MAX_STATE, Parts, PartsError};
pub use piece::Piece;
pub use progress::Progress;
pub use ranges::{BadRange, MAX_RANGES, Ranges};
pub use rates::{Choice, Rate, choose, known_or_measured, measure};
pub use receive::{
    Accepted, Decision, Excess, ExcessKind, Existing, Offer, Question, ReceiveOptions, Receiver, User, count_received,
    forget_received, kept_received,
};
pub use report::{FailedFile, Report, SkippedFile};
pub use send::{
    ListeningSender, SendOptions, SshReceiver, State, Unfinished, forget_sent, kept_sent, resume, send, send_stream,
};
pub use sentence::Sentence;
pub use source::{MAX_UNSIZED, OpenSource, SourceError, SourceFile, Version};
pub use spent::Spent;
pub use suite::{Suite, TAG, UnknownSuite};
pub use sync::{SYNCED_SINGLY, sync_file, sync_folder, sync_parts};
pub use target::{Disk, PlaceError, Target, TargetError};
pub use ticket::{BadTicket, MAX_ADDRESSES, Ticket, is_address};
pub use ticket_stream::{ReusableTicket, TicketStream};
pub use timed::{MinimumRateReader, Times};
pub use tls::{pinned_client, pinned_server};
pub use tried::Tried;
pub use walk::{LeftOut, Listing, MAX_ENTRIES, MAX_NAMES, SourceFolder, WalkError, WhyLeftOut, walk, walk_again};
