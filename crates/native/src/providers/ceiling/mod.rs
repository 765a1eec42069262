//! The ceilings: what the silicon allows, so that other figures can be given as shares of it; and `xor`, the cost of
//! touching memory.

use ciphermeter_core::{Algorithm, Form, Setup};

use super::{LoopParameters, Offered, Provider, Unsupported};
use crate::split::part::PartCipher;
use crate::timed_loop::{TimedLoop, writing_loop};

mod aes_unit;
mod clmul_unit;
mod invert;
mod kernel;
mod long_key;
mod part;
mod probe;
mod xor;

use kernel::Kernel;

struct Ceiling {
    aes: Option<Kernel>,
    clmul: Option<Kernel>,
}

pub fn open() -> Result<Box<dyn Provider>, String> {
    Ok(Box::new(Ceiling { aes: aes_unit::kernel(), clmul: clmul_unit::kernel() }))
}

impl Provider for Ceiling {
    fn offers(&self) -> Vec<Offered> {
        let offered = |algorithm, forms, path| Offered {
            algorithm,
            version: env!("CARGO_PKG_VERSION").into(),
            forms,
            path,
            setup: Setup::Outside,
        };
        // A ceiling is part of the groups of every form.
        let mut offers = vec![
            offered(Algorithm::Xor, &[Form::InPlace, Form::Into], xor::path()),
            offered(Algorithm::Memcpy, Form::IN_MEMORY, "unknown"),
            offered(Algorithm::ReadModifyWrite, &[], "unknown"),
        ];
        offers.extend(self.aes.map(|kernel| offered(Algorithm::AesUnit, Form::IN_MEMORY, kernel.path)));
        offers.extend(self.clmul.map(|kernel| offered(Algorithm::ClmulUnit, Form::IN_MEMORY, kernel.path)));
        offers.extend(probe::kernel().map(|kernel| offered(Algorithm::Probe, &[Form::InPlace], kernel.path)));
        offers
    }

    fn timed_loop(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn TimedLoop>, Unsupported> {
        match parameters.algorithm {
            Algorithm::Xor => xor::timed_loop(parameters),
            Algorithm::Memcpy => Ok(writing_loop(|call| {
                let text = call.text;
                // SAFETY: the buffers hold `len` bytes each; a copy's are always apart, whatever the form.
                unsafe { text.output().copy_from_nonoverlapping(text.input(), text.len()) };
                // Otherwise the compiler might remove the copy, which nothing reads.
                std::hint::black_box(text.output());
                Ok(text.len())
            })),
            Algorithm::AesUnit => unit(self.aes, "AES"),
            Algorithm::ClmulUnit => unit(self.clmul, "carry-less multiplication"),
            Algorithm::Probe => unit(probe::kernel(), "the probe"),
            other => Err(Unsupported::algorithm(other)),
        }
    }

    fn part_cipher(&self, parameters: &LoopParameters<'_>) -> Result<Box<dyn PartCipher>, Unsupported> {
        part::cipher(parameters.algorithm, parameters.key)
    }

    fn absences(&self) -> Vec<String> {
        let lack = |kernel: Option<Kernel>, unit| {
            kernel.is_none().then(|| format!("{unit}: this CPU has no instructions for it that are known here"))
        };
        lack(self.aes, "aes-unit").into_iter().chain(lack(self.clmul, "clmul-unit")).collect()
    }
}

fn unit(kernel: Option<Kernel>, what: &str) -> Result<Box<dyn TimedLoop>, Unsupported> {
    let Some(Kernel { vector, run, .. }) = kernel else {
        return Err(Unsupported(format!("this CPU has no instructions for {what}")));
    };
    Ok(writing_loop(move |call| {
        // SAFETY: `kernel` names only instructions that this CPU was asked for.
        unsafe { run(call.text.len().div_ceil(vector)) };
        Ok(call.text.len())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_runs_at_all_counts() {
        for kernel in [aes_unit::kernel(), clmul_unit::kernel(), probe::kernel()].into_iter().flatten() {
            for count in (0..40).chain([4095, 65_537]) {
                // SAFETY: the kernel was chosen for this CPU.
                unsafe { (kernel.run)(count) };
            }
        }
    }
}
