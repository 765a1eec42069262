//! The device that a simulated worker is on.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;

use ciphermeter_core::{Counts, Metric};
use ciphermeter_meter::{OnDevice, Reach, Source};
use ciphermeter_protocol::{Address, Counted, DeviceFacts, LinkError, Reply, Request};

/// What a device is like.
#[derive(Debug, Clone)]
pub struct Board {
    pub number: u64,
    pub counts: Option<Counts>,
    pub emulated: bool,
    /// Its workers share a line; else each is a process.
    pub line: bool,
    /// So many cells have room at once.
    pub room: usize,
    pub max_message: Option<u64>,
    /// It is reset when the samples of all its workers come to these numbers.
    pub resets_at: &'static [u32],
    /// The same when its digests come to this number.
    pub resets_at_digest: Option<u32>,
    /// Its cable is pulled then, for ever.
    pub unplugged_at: Option<u32>,
}

impl Board {
    /// A board on a line, which counts time.
    pub fn on_a_line(number: u64) -> Self {
        Self {
            number,
            counts: None,
            emulated: false,
            line: true,
            room: usize::MAX,
            max_message: None,
            resets_at: &[],
            resets_at_digest: None,
            unplugged_at: None,
        }
    }

    /// An emulated core, which counts instructions.
    pub fn emulated(number: u64) -> Self {
        Self { counts: Some(Counts::Instructions), emulated: true, line: false, ..Self::on_a_line(number) }
    }

    pub fn name(&self) -> String {
        format!("board{}", self.number)
    }

    pub fn facts(&self) -> DeviceFacts {
        DeviceFacts {
            max_message: self.max_message,
            counts: self.counts,
            emulated: self.emulated,
            board: Some(format!("a board of number {}", self.number)),
            ..DeviceFacts::default()
        }
    }

    /// The same source on this device; its name says so already.
    pub fn source(&self, source: Source) -> Source {
        let address = Address::parse(&format!("/dev/{}", self.name())).unwrap();
        let reach = if self.line { Reach::Line(address) } else { source.reach.clone() };
        let device = Some(OnDevice { number: self.number, name: self.name() });
        Source { reach, device, installed: true, ..source }
    }
}

/// What is prepared on a board. Workers on one board share it.
#[derive(Debug, Clone, Default)]
pub struct OnBoard(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    cells: BTreeSet<u64>,
    samples: u32,
    digests: u32,
    life: u64,
    is_broken: bool,
    is_gone: bool,
}

impl OnBoard {
    pub fn life(&self) -> u64 {
        self.0.borrow().life
    }

    /// Opens its line, unless another worker has it; one that broke is opened again.
    pub fn open(&self, board: Option<&Board>) -> io::Result<()> {
        let is_shared = Rc::strong_count(&self.0) > 2;
        let mut state = self.0.borrow_mut();
        if state.is_gone {
            return Err(io::Error::other("/dev/board: there is no such device"));
        }
        if board.is_some_and(|board| board.line) && (state.is_broken || !is_shared) {
            state.cells.clear();
            state.life += 1;
            state.is_broken = false;
        }
        Ok(())
    }

    /// Whether an answer gets through.
    pub fn check_line(&self) -> Result<(), LinkError> {
        if self.0.borrow().is_broken { Err(LinkError::Lost) } else { Ok(()) }
    }

    /// What a device answers that lacks room, or was reset.
    pub fn refuse(&self, board: &Board, request: &Request) -> Option<Reply> {
        let mut state = self.0.borrow_mut();
        let forgotten = |cell: &u64| Reply::Error(format!("cell {cell} is not prepared; send prepare first"));
        match request {
            Request::Prepare(prepare) if board.max_message.is_some_and(|most| prepare.message > most) => {
                Some(Reply::Unsupported(format!("over {:?} bytes", board.max_message)))
            }
            Request::Prepare(prepare) if state.cells.contains(&prepare.cell) => {
                Some(Reply::Error(format!("cell {} is prepared already; release it first", prepare.cell)))
            }
            Request::Prepare(_) if state.cells.len() >= board.room => {
                Some(Reply::Unsupported(format!("{} cells are prepared, all that there is room for", board.room)))
            }
            Request::Prepare(prepare) => {
                state.cells.insert(prepare.cell);
                None
            }
            Request::Sample { cell, .. } => {
                state.samples += 1;
                if board.resets_at.contains(&state.samples) {
                    state.cells.clear();
                }
                if board.unplugged_at == Some(state.samples) {
                    (state.is_broken, state.is_gone) = (true, true);
                }
                (!state.cells.contains(cell)).then(|| forgotten(cell))
            }
            Request::Digest { cell, .. } => {
                state.digests += 1;
                if board.resets_at_digest == Some(state.digests) {
                    state.cells.clear();
                }
                (!state.cells.contains(cell)).then(|| forgotten(cell))
            }
            Request::Release { cell } if !state.cells.remove(cell) => Some(forgotten(cell)),
            Request::Check(input) => {
                let is_too_long = board.max_message.is_some_and(|most| input.input.len() as u64 > most);
                assert!(!is_too_long, "what does not fit is not even sent");
                None
            }
            _ => None,
        }
    }

    /// What a sample on a device that counts says.
    pub fn counted(counts: Counts, count: u64) -> Counted {
        let memory = [(Metric::STACK, 312), (Metric::STATE, 420), (Metric::CODE, 6120)];
        Counted { counts: [(counts.metric(), count)].into_iter().chain(memory).collect(), series: Vec::new() }
    }
}
