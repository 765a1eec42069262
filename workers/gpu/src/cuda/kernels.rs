//! The kernels, loaded, and how each is launched.

use std::ffi::{CString, c_void};

use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUfunction};

use super::compile::Image;
use super::driver::{DeviceMemory, Stream, failed};
use crate::card::Refused;

/// The round keys as the designs take them.
#[derive(Clone)]
pub struct Keys {
    words: [u32; 60],
    planes: [u32; 120],
}

/// How AES is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// With a table in shared memory.
    Tables,
    /// Without.
    Bitsliced,
}

impl Design {
    /// The code path's name.
    pub fn path(self) -> &'static str {
        match self {
            Self::Tables => "tables",
            Self::Bitsliced => "bitsliced",
        }
    }
}

/// The kernels of kernels.cu, and the table that one of them reads.
pub struct Kernels {
    tables: CUfunction,
    bitsliced: CUfunction,
    exclusive_or: CUfunction,
    invert: CUfunction,
    expand_key: CUfunction,
    table: DeviceMemory,
    multiprocessors: u32,
}

/// Threads of a block, blocks for each multiprocessor, bytes of shared memory.
type Shape = (u32, u32, u32);
const TABLES: Shape = (1024, 2, 32 << 10);
const OTHERS: Shape = (256, 8, 0);

impl Kernels {
    /// Loads them into the current context.
    pub fn load(image: &Image, multiprocessors: u32) -> Result<Self, String> {
        // SAFETY: the image comes from the compiler and ends with a zero byte. The module stays loaded for ever.
        let module = unsafe { result::module::load_data(image.bytes.as_ptr().cast()) };
        let module = module.map_err(|error| failed("loading the kernels", error))?;
        let function = |name: &str| {
            let name = CString::new(name).unwrap_or_default();
            // SAFETY: the module is loaded.
            unsafe { result::module::get_function(module, name) }.map_err(|error| failed("finding a kernel", error))
        };
        let table = DeviceMemory::new(1024).map_err(|_| "the card's memory is full; end what else uses it")?;
        let kernels = Self {
            tables: function("tables")?,
            bitsliced: function("bitsliced")?,
            exclusive_or: function("exclusive_or")?,
            invert: function("invert")?,
            expand_key: function("expand_key")?,
            table,
            multiprocessors,
        };
        let mut address = kernels.table.address;
        kernels.launch(function("make_table")?, (1, 256, 0), None, &mut [pointer(&mut address)])?;
        wait_for_all()?;
        Ok(kernels)
    }

    /// Lets the card expand a key.
    pub fn expand(&self, key: &[u8; 32]) -> Result<Keys, Refused> {
        let memory = [32, 240, 480].map(DeviceMemory::new);
        let [raw, words, planes] = memory;
        let (raw, words, planes) = (raw?, words?, planes?);
        let expand = || {
            raw.write(0, key)?;
            let mut addresses = [raw.address, words.address, planes.address];
            let [a, b, c] = &mut addresses;
            self.launch(self.expand_key, (1, 1, 0), None, &mut [pointer(a), pointer(b), pointer(c)])?;
            wait_for_all()?;
            let mut keys = Keys { words: [0; 60], planes: [0; 120] };
            words.read(0, bytemuck::cast_slice_mut(&mut keys.words))?;
            planes.read(0, bytemuck::cast_slice_mut(&mut keys.planes))?;
            Ok(keys)
        };
        expand().map_err(Refused::Failed)
    }

    /// Queues AES over `bytes` bytes, whole blocks, that begin with that counter block.
    pub fn counter_mode(
        &self,
        design: Design,
        keys: &Keys,
        counter: u128,
        (mut data, bytes): (CUdeviceptr, u64),
        stream: Option<&Stream>,
    ) -> Result<(), String> {
        let mut blocks = bytes / 16;
        let mut counter = [96, 64, 32, 0].map(|shift: u32| (counter >> shift) as u32);
        let (mut table, mut words, mut planes) = (self.table.address, keys.words, keys.planes);
        let (function, shape, work) = match design {
            Design::Tables => (self.tables, TABLES, blocks),
            Design::Bitsliced => (self.bitsliced, OTHERS, blocks.div_ceil(2)),
        };
        let (data, count, counter) = (pointer(&mut data), pointer(&mut blocks), pointer(&mut counter));
        let shape = self.fit(shape, work);
        match design {
            Design::Bitsliced => {
                self.launch(function, shape, stream, &mut [data, count, counter, pointer(&mut planes)])
            }
            _ => {
                let mut parameters = [data, count, pointer(&mut table), counter, pointer(&mut words)];
                self.launch(function, shape, stream, &mut parameters)
            }
        }
    }

    /// Queues XOR with a key of `units` times 16 bytes, from unit `start` on.
    pub fn exclusive_or(
        &self,
        key: &DeviceMemory,
        (mut units, mut start): (u32, u32),
        (mut data, bytes): (CUdeviceptr, u64),
        stream: Option<&Stream>,
    ) -> Result<(), String> {
        let (mut blocks, mut key) = (bytes / 16, key.address);
        let shape = self.fit(OTHERS, blocks);
        let mut parameters =
            [pointer(&mut data), pointer(&mut blocks), pointer(&mut key), pointer(&mut units), pointer(&mut start)];
        self.launch(self.exclusive_or, shape, stream, &mut parameters)
    }

    /// Queues the inversion of every byte.
    pub fn invert(&self, (mut data, bytes): (CUdeviceptr, u64), stream: Option<&Stream>) -> Result<(), String> {
        let mut blocks = bytes / 16;
        let shape = self.fit(OTHERS, blocks);
        self.launch(self.invert, shape, stream, &mut [pointer(&mut data), pointer(&mut blocks)])
    }

    /// As many blocks as fill the card, but not more than there is work for: grid, threads, shared memory.
    fn fit(&self, (threads, blocks, shared): Shape, work: u64) -> Shape {
        let needed = u32::try_from(work.div_ceil(u64::from(threads))).unwrap_or(u32::MAX);
        ((self.multiprocessors * blocks).min(needed).max(1), threads, shared)
    }

    fn launch(
        &self,
        function: CUfunction,
        (grid, threads, shared): Shape,
        stream: Option<&Stream>,
        parameters: &mut [*mut c_void],
    ) -> Result<(), String> {
        let stream = stream.map_or(std::ptr::null_mut(), Stream::raw);
        // SAFETY: the function is loaded for ever. The parameters are those of kernels.cu, and the driver copies them
        // before it returns; the buffers that they name are larger than what the kernel touches, and are freed only
        // after a wait.
        unsafe { result::launch_kernel(function, (grid, 1, 1), (threads, 1, 1), shared, stream, parameters) }
            .map_err(|error| failed("launching a kernel", error))
    }
}

/// Waits for all work on the card.
pub fn wait_for_all() -> Result<(), String> {
    result::ctx::synchronize().map_err(|error| failed("working on the card", error))
}

fn pointer<T>(value: &mut T) -> *mut c_void {
    std::ptr::from_mut(value).cast()
}
