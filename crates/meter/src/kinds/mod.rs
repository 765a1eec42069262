//! The kinds of measurement, one file each.

mod calls;
mod devices;
mod energy;
mod memory;
mod parallel;
mod processes;
mod sustained;
mod threads;
mod transfers;
mod turns;

pub use calls::Calls;
pub use devices::Devices;
pub use energy::Energy;
pub use memory::MemoryUsed;
pub use parallel::Parallel;
pub use processes::Processes;
pub use sustained::Sustained;
pub use threads::Threads;
pub use transfers::Transfers;
pub use turns::Turns;
