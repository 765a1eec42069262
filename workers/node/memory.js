// Facts about memory and compiled code, each known or null, never guessed.

import { readFileSync, writeFileSync } from 'node:fs';
import { getHeapCodeStatistics, getHeapStatistics } from 'node:v8';

/** Whether the system refused to reset the peak. */
let peakLost = false;

/**
 * The answer to `memory`, in bytes. V8 counts neither a peak nor the sum of its allocations.
 *
 * @param {boolean} reset whether peaks are reset after it
 */
export function memory(reset) {
  const { heapUsed, external } = process.memoryUsage();
  const facts = {
    rss: kernelField('/proc/self/status', 'VmRSS'),
    peak_rss: peakLost ? null : kernelField('/proc/self/status', 'VmHWM'),
    heap: heapUsed + external, // external: array buffers, WebAssembly's memory and everything else outside V8's heap
    peak_heap: null,
    allocated: null,
    counter: 'v8',
  };
  if (reset) peakLost = !resetPeak();
  return facts;
}

/** Resets VmHWM to VmRSS. Format: proc_pid_clear_refs(5). */
function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return true;
  } catch {
    return false;
  }
}

/** The memory that may be allocated without swapping, in bytes. */
export function freeMemory() {
  return kernelField('/proc/meminfo', 'MemAvailable');
}

/** The most bytes that V8's heap may have. */
export function heapLimit() {
  return getHeapStatistics().heap_size_limit;
}

/** The bytes of bytecode and machine code that V8 has generated from JavaScript, without WebAssembly's machine code. */
export function compiledBytes() {
  const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics();
  return code_and_metadata_size + bytecode_and_metadata_size;
}

/**
 * A field that Linux gives in kB (1024 bytes), in bytes; null where there is none. Format: proc_pid_status(5),
 * proc_meminfo(5).
 *
 * @param {string} file
 * @param {string} name
 */
function kernelField(file, name) {
  try {
    const found = new RegExp(`^${name}:\\s+([0-9]+) kB$`, 'm').exec(readFileSync(file, 'latin1'));
    return found ? Number(found[1]) * 1024 : null;
  } catch {
    return null;
  }
}
