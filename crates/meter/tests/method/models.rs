//! Workers on the simulated machine. They XOR, because that is the one algorithm whose right
//! answers need no library.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::rc::Rc;

use ciphermeter_core::{Algorithm, Form, Layout, Operation, Setup, text_stride};
use ciphermeter_meter::{Affinity, Clock, Launch, Source};
use ciphermeter_protocol::{
    CheckInput, Counted, Deadline, Describe, JsonLine, LineError, Link, LinkError, MemoryUse, Offer, Prepare, Reply,
    Request,
};

use ciphermeter_protocol::seed::period;

use crate::aead;
use crate::board::{Board, OnBoard};
use crate::machine::Machine;
use crate::model::{CACHE, GROWN, Model, Vice};

/// The forms that models have.
const FORMS: [Form; 9] = [
    Form::InPlace,
    Form::Into,
    Form::Fresh,
    Form::Process,
    Form::Batch,
    Form::Static,
    Form::Dynamic,
    Form::Mapped,
    Form::Buffered,
];

/// Starts models.
pub struct Models {
    pub machine: Rc<Machine>,
    pub models: BTreeMap<String, Model>,
    /// Who was started where.
    pub affinities: Vec<(String, Affinity)>,
    /// The processes that were pinned.
    pub pinned: Vec<u32>,
    /// What is prepared on boards, by their numbers.
    pub boards: BTreeMap<u64, OnBoard>,
    /// Where processes that are like those before them have got to, by model and cipher.
    pub states: BTreeMap<(String, usize), f64>,
}

impl Launch for Models {
    fn launch(&mut self, source: &Source, affinity: Affinity) -> io::Result<Box<dyn Link>> {
        let mut model = self.models[&source.name].clone();
        if let Some((path, times)) =
            model.switched.filter(|_| source.command().is_some_and(|command| !command.environment.is_empty()))
        {
            model.path = path;
            model.each *= times;
        }
        let luck = (model.spread * self.machine.normal()).exp() * self.process(&model, 0);
        let other_luck = match model.ciphers {
            Some(_) => (model.spread * self.machine.normal()).exp() * self.process(&model, 1),
            None => luck,
        };
        self.affinities.push((source.name.clone(), affinity));
        let on_board = match &model.board {
            Some(board) if board.line => self.boards.entry(board.number).or_default().clone(),
            _ => OnBoard::default(),
        };
        on_board.open(model.board.as_ref())?;
        Ok(Box::new(Process {
            machine: self.machine.clone(),
            model,
            luck,
            other_luck,
            life: on_board.life(),
            on_board,
            cells: BTreeMap::new(),
            last: BTreeMap::new(),
            layout: Layout::default(),
            samples: 0,
            calls: 0,
            is_grown: false,
            was_verified: false,
            has_released: false,
            reset: false,
            replies: VecDeque::new(),
            left: None,
        }))
    }

    fn pin(&mut self, process: u32) -> io::Result<()> {
        self.pinned.push(process);
        Ok(())
    }
}

struct Process {
    machine: Rc<Machine>,
    model: Model,
    luck: f64,
    /// ChaCha20's, of a library that has both AEADs.
    other_luck: f64,
    /// What is prepared at the other end, which several may share, and the life of it that this
    /// process knows.
    on_board: OnBoard,
    life: u64,
    cells: BTreeMap<u64, Prepare>,
    last: BTreeMap<u64, u64>,
    layout: Layout,
    samples: u32,
    calls: u64,
    is_grown: bool,
    was_verified: bool,
    has_released: bool,
    /// Whether its counts have begun anew.
    reset: bool,
    replies: VecDeque<JsonLine>,
    /// The cell and range of the latest sample.
    left: Option<(u64, u64, u64)>,
}

impl Link for Process {
    fn process(&self) -> Option<u32> {
        Some(7)
    }

    fn life(&self) -> u64 {
        self.on_board.life()
    }

    fn send(&mut self, line: &JsonLine, _: Deadline) -> Result<(), LinkError> {
        self.machine.pass(20_000.0);
        self.machine.wait();
        match Request::read(line).expect("the harness sends requests") {
            Request::Describe => self.replies.extend(self.describe().lines()),
            request => {
                let reply = self.answer(request);
                self.replies.extend(reply.map(|reply| reply.line()));
            }
        }
        Ok(())
    }

    fn receive(&mut self, deadline: Deadline) -> Result<JsonLine, LinkError> {
        self.machine.pass(20_000.0);
        let over = |after: u32| self.samples > after;
        self.on_board.check_line()?;
        match self.model.vice {
            Vice::Dies(after) if over(after) => {
                Err(LinkError::Ended { how: "by signal 11".into(), stderr: String::new() })
            }
            Vice::Dawdles(after) if self.samples < 50 && self.machine.now().as_secs_f64() > after => {
                self.machine.pass(19e9);
                Ok(self.replies.pop_front().expect("one answer a question"))
            }
            Vice::Hangs(after) if over(after) => Err(LinkError::TimedOut(deadline.patience())),
            Vice::Garbage(after) if over(after) => {
                let error = LineError::NotFlat("expected value".into());
                Err(LinkError::BadLine { error, excerpt: "Segmentation".into() })
            }
            _ => Ok(self.replies.pop_front().expect("one answer a question")),
        }
    }
}

impl Process {
    fn describe(&self) -> Describe {
        let offer = |algorithm, operations: &[Operation]| Offer {
            provider: "model".into(),
            version: "1".into(),
            algorithm,
            operations: operations.iter().copied().collect(),
            forms: FORMS.into(),
            path: if self.model.wide { "avx512" } else { self.model.path }.into(),
            setup: Setup::Outside,
            library: None,
            sha256: None,
        };
        let ways = [Operation::Encrypt, Operation::Decrypt];
        let sealing = [Operation::Seal, Operation::Open, Operation::KeySetup];
        let offers = match (self.model.probe, self.model.ciphers) {
            (true, _) => vec![offer(Algorithm::Probe, &ways)],
            (_, Some(_)) => {
                [Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305].map(|algorithm| offer(algorithm, &sealing)).into()
            }
            _ => vec![offer(Algorithm::Xor, &ways)],
        };
        let compiles = self.model.compiles.is_some();
        let (worker, runtime) = ("model".into(), "simulated".into());
        let device = self.model.board.as_ref().map(Board::facts).unwrap_or_default();
        let (layouts, rotates) = (self.model.stack.is_some(), self.model.cold.is_some());
        let process_cpu = self.model.process_cpu;
        Describe { worker, runtime, compiles, layouts, rotates, process_cpu, device, offers, ..Describe::default() }
    }

    fn answer(&mut self, request: Request) -> Option<Reply> {
        if let Some(board) = &self.model.board
            && let Some(reply) = self.on_board.refuse(board, &request)
        {
            return Some(reply);
        }
        if self.life != self.on_board.life() {
            (self.life, self.left) = (self.on_board.life(), None);
        }
        Some(match request {
            Request::Check(input) => {
                self.was_verified = true;
                self.check(&input)
            }
            Request::Prepare(cell) => match self.model.vice {
                Vice::Refuses(above) if cell.message > above => Reply::Unsupported(format!("over {above} bytes")),
                Vice::BreaksAfterRelease if self.has_released => Reply::Error("no room".into()),
                Vice::RefusesAfterRelease if self.has_released => Reply::Unsupported("no room".into()),
                _ => {
                    let rotates = cell.rotation.is_any();
                    assert!(!rotates || self.model.cold.is_some(), "only workers that declare it go round");
                    self.machine.pass(self.model.starting * 1e9);
                    let reply = Reply::Ready { cell: cell.cell };
                    self.last.insert(cell.cell, 0);
                    self.cells.insert(cell.cell, cell);
                    reply
                }
            },
            Request::Sample { cell, warmup_ns, iterations, layout } => {
                assert!(layout.is_none() || self.model.stack.is_some(), "only workers that declare layouts get them");
                self.layout = layout.unwrap_or(self.layout);
                self.sample(cell, warmup_ns, iterations)
            }
            Request::Latency { cell, warmup_ns, count } => self.latency(cell, warmup_ns, count),
            Request::Digest { cell, first, iteration } => self.digest(cell, first, iteration),
            Request::Peek { cell, at, bytes } => self.peek(cell, at, bytes),
            Request::Verify { cell, first, iteration } => self.verify(cell, first, iteration),
            Request::Clock if self.model.counts().is_some() => Reply::Counter { step: 1, call: 4, empty: 9 },
            Request::Clock => Reply::Clock { step_ns: self.model.step_ns, call_ns: 20, loop_ns: 1 },
            Request::Release { cell } => {
                self.cells.remove(&cell);
                self.has_released = !self.was_verified;
                Reply::Released { cell }
            }
            Request::Memory { .. } if self.model.vice == Vice::NoMemory => Reply::Error("no idea".into()),
            Request::Memory { reset } => self.memory(reset),
            // The runtime compiles something else in between, which is no news for these cells.
            Request::Compilation => {
                Reply::Compilation { mark: self.model.compiles.map(|(after, _)| self.calls.min(after)) }
            }
            other => panic!("the meter asks for {other:?}"),
        })
    }

    /// How many times as long as the model says a cell's calls take.
    fn times(&self, cell: &Prepare) -> f64 {
        let Some(ciphers) = self.model.ciphers else { return self.luck };
        let aes = if self.machine.is_shared() { ciphers.shared } else { 1.0 };
        match (cell.algorithm, cell.operation) {
            (Algorithm::Aes256Gcm, _) => self.luck * aes,
            (_, Operation::KeySetup) => self.other_luck * ciphers.slower_key,
            _ => self.other_luck * ciphers.slower,
        }
    }

    fn check(&self, input: &CheckInput) -> Reply {
        if self.model.ciphers.is_some() {
            return aead::check(input);
        }
        let mut output: Vec<u8> =
            input.input.iter().zip(input.key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        if self.model.vice == Vice::NoCheck {
            return Reply::Unsupported("no threads for that".into());
        }
        if self.model.vice == Vice::SlowCheck {
            self.machine.pass(2e9);
        }
        if self.model.vice == Vice::WrongCheck && !output.is_empty() {
            output[0] ^= 1;
        }
        Reply::Output(output)
    }

    fn sample(&mut self, cell: u64, warmup_ns: u64, iterations: u64) -> Reply {
        self.samples += 1;
        match self.model.vice {
            Vice::WrongCell => {
                return Reply::Sample {
                    cell: cell + 1,
                    iterations,
                    first: 1,
                    last: iterations,
                    counted: Box::new(Counted::times(1, None)),
                };
            }
            Vice::Reports => return Reply::Error("the library returned 0".into()),
            _ => {}
        }
        if self.model.vice == Vice::SlowTexts {
            self.machine.pass(self.cells[&cell].rotation.texts as f64 * 1e4);
        }
        let size = self.cells[&cell].message.max(64) as f64 / 1024.0;
        let mut each = self.model.each * size * self.times(&self.cells[&cell]);
        if self.layout.stack % 32 == 16 {
            each *= self.model.stack.unwrap_or(1.0);
        }
        let prepared = &self.cells[&cell];
        if prepared.rotation.texts * text_stride(prepared.algorithm, prepared.message) > CACHE {
            each *= self.model.cold.unwrap_or(1.0);
        }
        if self.machine.is_shared() {
            each *= self.model.shared;
        }
        if let Some(slower) = self.model.young.filter(|_| !self.is_grown) {
            each *= slower;
        }
        if let Some((_, slower)) = self.model.compiles.filter(|(after, _)| self.calls < *after) {
            each *= slower;
        }
        self.calls += iterations;
        self.is_grown |= iterations >= GROWN;
        each *= self.model.contended.powi(self.cells[&cell].threads as i32 - 1);
        if self.cells[&cell].form.is_split() {
            each /= self.cells[&cell].threads as f64;
        }
        if !self.model.probe {
            self.machine.warmups.borrow_mut().insert(warmup_ns);
        }
        let has_processes = self.cells[&cell].form == Form::Process;
        if has_processes {
            self.machine.pass(self.model.child * 1e9 * iterations as f64);
        }
        let warm = if warmup_ns == 0 || has_processes { 0 } else { (warmup_ns as f64 / each).ceil() as u64 };
        if warm > 0 {
            self.machine.work(warm as f64 * each, self.model.wide);
        }
        let mut own = self.machine.work(iterations as f64 * each, self.model.wide);
        if let Some((_, times)) =
            self.model.leaves.filter(|(share, _)| self.machine.uniform() * 100.0 < f64::from(*share))
        {
            own *= times;
            self.machine.pass(own - own / times);
            self.machine.leave(1.5e5);
        }
        let is_preempted = self.model.preempted > 0 && self.machine.uniform() * 100.0 < f64::from(self.model.preempted);
        let off = if is_preempted { 2e6 } else { 0.0 };
        self.machine.pass(off);
        let took = own + off;
        let ns = match self.model.vice {
            Vice::Claims(ns) => ns,
            Vice::ClaimsPart(part) => took as u64 / part,
            _ => (took / self.model.step_ns as f64).round() as u64 * self.model.step_ns,
        };
        let before = self.last[&cell];
        let warm = if self.model.counts().is_some() { warm.min(1) } else { warm };
        let last = before + warm + iterations;
        self.last.insert(cell, last);
        self.left = Some((cell, before + 1, last));
        let counted = match self.model.counts() {
            Some(counts) => OnBoard::counted(counts, (each * iterations as f64) as u64 + 9 * iterations + 4),
            None => Counted::times(ns, Some(ns.saturating_sub(off as u64))),
        };
        Reply::Sample { cell, iterations, first: before + 1, last, counted: Box::new(counted) }
    }

    /// 8 MiB, and twice the message of each prepared cell; every call allocates its message.
    fn memory(&mut self, reset: bool) -> Reply {
        let message = self.cells.values().map(|cell| cell.message).sum::<u64>();
        let rss = (8 << 20) + 2 * message;
        let counts = self.reset.then_some(self.calls * message);
        self.reset |= reset;
        let (heap, counter) = (Some(1000), Some("model".into()));
        let peak_heap = counts.map(|_| 1000 + message);
        Reply::Memory(Box::new(MemoryUse {
            rss: Some(rss),
            peak_rss: Some(rss),
            heap,
            peak_heap,
            allocated: counts,
            counter,
            ..MemoryUse::default()
        }))
    }

    /// One call in a hundred takes three times as long.
    fn latency(&mut self, cell: u64, warmup_ns: u64, count: u64) -> Reply {
        if self.model.vice == Vice::NoLatency {
            return Reply::Unsupported("it has no fine clock".into());
        }
        self.machine.work(warmup_ns as f64, self.model.wide);
        let call = || {
            let tail = if self.machine.uniform() < 0.01 { 3.0 } else { 1.0 };
            self.machine.work(self.model.each * self.luck * tail, self.model.wide).round() as u64
        };
        let mut ns: Vec<u64> = (0..count).map(|_| call()).collect();
        match self.model.vice {
            Vice::FewCalls => ns.truncate(ns.len() / 2),
            Vice::LongCalls(claimed) => ns.fill(claimed),
            _ => {}
        }
        *self.last.get_mut(&cell).unwrap() += count;
        Reply::Latency { cell, ns, clock_ns: 5 }
    }

    /// What the latest sample left: XORed an odd number of times, or not at all.
    fn peek(&self, cell: u64, at: u64, bytes: u64) -> Reply {
        let (of, first, last) = self.left.expect("it was sampled");
        assert_eq!(of, cell);
        let Prepare { seed, key, message, threads, .. } = self.cells[&cell];
        let (text, key) = (period("message", seed, 4093), period("key", seed, key as usize));
        let odd = (last - first) % 2 == 0;
        let byte = |i: u64| text[(i % 4093) as usize] ^ if odd { key[(i % key.len() as u64) as usize] } else { 0 };
        let slice = message.div_ceil(64) / threads * 64;
        let wrong = |i: u64| u8::from(self.model.vice == Vice::WrongAtSlice && i == slice && threads > 1);
        Reply::Bytes { cell, bytes: (at..at + bytes).map(|i| byte(i) ^ wrong(i)).collect() }
    }

    fn verify(&mut self, cell: u64, first: u64, iteration: u64) -> Reply {
        assert_eq!(self.left.take(), Some((cell, first, iteration)));
        if self.model.vice == Vice::NoWayBack {
            return Reply::Unsupported("it has no inverse".into());
        }
        let Prepare { seed, message, .. } = self.cells[&cell];
        let text: Vec<u8> = period("message", seed, 4093).into_iter().cycle().take(message as usize).collect();
        let wrong = u32::from(self.model.vice == Vice::WrongSomewhere);
        Reply::Verified { cell, crc32: crc32fast::hash(&text) ^ wrong }
    }

    /// No hash, but as good as one here: the numbers that the output depends on.
    fn digest(&self, cell: u64, first: u64, iteration: u64) -> Reply {
        let prepared = &self.cells[&cell];
        let mut sha256 = [0; 32];
        let in_place = prepared.form == Form::InPlace || (prepared.form.is_split() && !prepared.form.is_of_files());
        let chained = in_place && prepared.operation == Operation::Encrypt;
        let stale = self.model.vice == Vice::Cached && self.left == Some((cell, first, iteration));
        let wrong = match self.model.vice {
            Vice::WrongAtLength(length) => length == prepared.message,
            Vice::WrongAfterRelease => self.has_released,
            _ => false,
        };
        let numbers = [prepared.message, if chained { first } else { 0 }, iteration - u64::from(stale), wrong.into()];
        for (place, number) in sha256.chunks_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_be_bytes());
        }
        Reply::Digest { cell, sha256 }
    }
}
