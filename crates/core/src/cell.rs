//! The one thing that is measured: provider × algorithm × operation × parameters.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Algorithm, Bytes, Form, Operation};

/// A cell's number within its run, from 0 in the order of the run's list of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CellId(pub u32);

impl CellId {
    /// The place in the run's list of cells.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Named integer parameters of a cell; the names depend on the scenario's kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(pub BTreeMap<String, u64>);

impl Parameters {
    /// The parameters of a message cell: sizes in bytes.
    pub fn message_cell(message: u64, aad: u64, threads: u64) -> Self {
        Self([("message", message), ("aad", aad), ("threads", threads)].map(|(name, n)| (name.to_string(), n)).into())
    }

    /// The parameter of that name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// Message bytes, 0 where the cell has no message.
    pub fn message(&self) -> u64 {
        self.get("message").unwrap_or(0)
    }

    /// Bytes of aad, 0 where absent.
    pub fn aad(&self) -> u64 {
        self.get("aad").unwrap_or(0)
    }

    /// The parameters of a transfer of a file of that many bytes between two processes that may use `cpus` CPUs.
    pub fn transfer_cell(file: u64, cpus: u32) -> Self {
        Self::message_cell(file, 0, 1).on_cpus(cpus)
    }

    /// Bytes of XOR's key where none are named.
    pub const USUAL_KEY: u64 = Algorithm::Xor.key_bytes() as u64;

    /// Threads, 1 where absent.
    pub fn threads(&self) -> u64 {
        self.get("threads").unwrap_or(1)
    }

    /// The same on `cpus` CPUs at once, for threads to spread over.
    pub fn on_cpus(mut self, cpus: u32) -> Self {
        self.0.insert("cpus".into(), cpus.into());
        self
    }

    /// The same with a key of XOR that is so many bytes long. Other lengths than XOR's usual one are a parameter.
    pub fn with_key(mut self, bytes: u64) -> Self {
        if bytes != Self::USUAL_KEY {
            self.0.insert("key".into(), bytes);
        }
        self
    }

    /// Bytes of XOR's key.
    pub fn key(&self) -> u64 {
        self.get("key").unwrap_or(Self::USUAL_KEY)
    }

    /// How many CPUs its worker may use; `None`: one, on which all cells take turns.
    pub fn cpus(&self) -> Option<u64> {
        self.get("cpus")
    }

    /// The same on the device of that number, from 1: so no group mixes devices, or a device with this machine.
    pub fn on_device(mut self, number: u64) -> Self {
        self.0.insert("device".into(), number);
        self
    }

    /// The number of the device in its run; `None`: this machine.
    pub fn device(&self) -> Option<u64> {
        self.get("device")
    }

    /// The same with a single thread: what a cell of several threads is compared with.
    pub fn with_one_thread(&self) -> Self {
        let mut parameters = self.clone();
        parameters.0.insert("threads".into(), 1);
        parameters
    }
}

/// One thing to measure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// The library; a second copy in the same run has another name.
    pub provider: String,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The operation.
    pub operation: Operation,
    /// Where the output goes.
    pub form: Form,
    /// Sizes and the like.
    pub parameters: Parameters,
}

/// Cells that are compared with each other: all that share operation, form and parameters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group {
    /// Their operation.
    pub operation: Operation,
    /// Their form.
    pub form: Form,
    /// Their parameters.
    pub parameters: Parameters,
    /// The name of their device, which stands behind the `@` of its providers; `None`: this machine.
    pub device: Option<String>,
}

impl Cell {
    /// The name of its device; `None`: this machine.
    pub fn device(&self) -> Option<&str> {
        self.parameters.device()?;
        self.provider.rsplit_once('@').map(|(_, device)| device)
    }

    /// Whether its time depends on how long its process has run: each call allocates an output so large that allocators get it from the kernel
    /// and give it back, or not, by what they have seen before (glibc from 128 KiB on, `man 3 mallopt`).
    pub fn depends_on_age(&self) -> bool {
        self.form == Form::Fresh && self.parameters.message() >= 128 << 10
    }

    /// Whether its calls go round several texts or keys.
    pub fn rotates(&self) -> bool {
        self.parameters.rotation(self.algorithm, self.operation).is_any()
    }

    /// Whether each of its calls has a process of its own.
    pub fn has_processes(&self) -> bool {
        self.form == Form::Process
    }

    /// Why its algorithm has no such message; `None` if it has.
    pub fn refused(&self) -> Option<String> {
        self.algorithm.refuses_to(self.operation, self.parameters.message())
    }

    /// Whether it transfers files, as opposed to calling a cipher on a message in memory.
    pub fn is_transfer(&self) -> bool {
        self.operation == Operation::Transfer
    }

    /// The same with a single thread.
    pub fn with_one_thread(&self) -> Self {
        Self { parameters: self.parameters.with_one_thread(), form: self.form.of_one_thread(), ..self.clone() }
    }

    /// How many messages a call of it does: one a thread, unless all threads work on one.
    pub fn messages_at_once(&self) -> u64 {
        if self.is_split() { 1 } else { self.parameters.threads().max(1) }
    }

    /// Whether it is one message that several threads, or a graphics card, encrypt together.
    pub fn is_split(&self) -> bool {
        self.form.is_split()
    }

    /// The group that it belongs to.
    pub fn group(&self) -> Group {
        Group {
            operation: self.operation,
            form: self.form,
            parameters: self.parameters.clone(),
            device: self.device().map(String::from),
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.operation, self.form)?;
        for (name, value) in &self.parameters.0 {
            match name.as_str() {
                "message" | "aad" | "key" => write!(f, " {name} {}", Bytes(*value))?,
                "working_set" => write!(f, " working-set {}", Bytes(*value))?,
                "threads" if *value == 1 && self.parameters.cpus().is_none() => {}
                "device" if self.device.is_some() => {}
                _ => write!(f, " {name} {value}")?,
            }
        }
        self.device.iter().try_for_each(|device| write!(f, " on {device}"))
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.provider, self.algorithm, self.group())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(provider: &str, parameters: Parameters) -> Cell {
        let (algorithm, operation, form) = (Algorithm::Aes256Gcm, Operation::Seal, Form::Into);
        Cell { provider: provider.into(), algorithm, operation, form, parameters }
    }

    #[test]
    fn devices_have_groups_of_their_own() {
        let message = || Parameters::message_cell(16, 0, 1);
        let (here, m4) = (cell("mbedtls", message()), cell("mbedtls-3@cortex-m4", message().on_device(1)));
        let m3 = cell("mbedtls-3@cortex-m3", message().on_device(2));
        assert_ne!(here.group(), m4.group());
        assert_ne!(m3.group(), m4.group());
        assert_eq!(m4.group(), cell("bearssl@cortex-m4", message().on_device(1)).group());
        assert_eq!(m4.group().to_string(), "seal into aad 0 message 16 on cortex-m4");
        assert_eq!(here.group().to_string(), "seal into aad 0 message 16");
    }

    #[test]
    fn provider_of_another_worker_is_on_no_device() {
        let copy = cell("openssl@2", Parameters::message_cell(16, 0, 1));
        assert_eq!((copy.device(), copy.group().device), (None, None));
        let unnamed = cell("model", Parameters::message_cell(16, 0, 1).on_device(2));
        assert_eq!(unnamed.group().to_string(), "seal into aad 0 device 2 message 16");
    }
}
