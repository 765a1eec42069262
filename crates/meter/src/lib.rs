//! The method: from a scenario to records.
//!
//! [`measure`] runs the whole procedure of METHODOLOGY.md: ask the workers what they have ([`survey`](Source)), verify every output
//! before anything is timed, learn by a pilot how long samples and warm-ups must be, then hold forks, in each of which fresh
//! processes take turns on one core round after round, until the ratios are known as precisely as was asked for.
//! Everything that is measured goes to a [`Sink`] round by round.
//!
//! The clock, the links and the launching of workers stand behind traits, so that the method itself is tested on machines that
//! drift, stutter and lie.

mod answers;
mod batch;
mod believe;
mod clock;
mod compile;
mod contents;
mod course;
mod faults;
mod instructions;
mod kind;
mod kinds;
mod launch;
mod layouts;
mod mask;
mod measure;
mod offsets;
mod options;
mod outputs;
mod own_input;
mod part;
mod plan;
mod pool;
mod probe;
mod room;
mod roster;
mod rounds;
mod sink;
mod stop;
mod survey;
mod truth;
mod unoffered;
pub mod vectors;
mod verify;
mod worker;

pub use answers::{Tally, known_answers};
pub use batch::{Batch, Counter, Ruler};
pub use clock::{Clock, SystemClock};
pub use instructions::{CallCount, Callgrind, refuse_runtime};
pub use kind::{Kind, Share};
pub use launch::{Affinity, Launch, OnDevice, Processes, Reach, Source, Switch};
pub use measure::{Before, End, MeterError, Tools, kinds, measure};
pub use options::Options;
pub use own_input::OwnInput;
pub use part::Part;
pub use plan::{Plan, Planned};
pub use pool::{MOST_BREAKS, Pool};
pub use sink::{Progress, Sink, SinkError};
pub use survey::{Missing, Surveyed, survey, times_mean_nothing};
pub use worker::{Answer, Worker};
