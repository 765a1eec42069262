package main

// The request memory: the process's resident size, and the counts of Go's
// allocator.

import (
	"os"
	"runtime"
)

// tally is the state at the latest reset.
type tally struct {
	began     bool   // there was a reset
	allocated uint64 // the bytes allocated until then
	peakLost  bool   // the system did not reset the peak
}

// memory answers with the runtime's own count, which is exact and always on:
// runtime/metrics omits allocations from the size classes' current spans. Go
// records no peak of its heap.
func (w *worker) memory(r *request) ([]byte, error) {
	reset := r.numberOr("reset", 0, 0, 1) == 1
	if r.err != nil {
		return nil, r.err
	}
	heap, allocated := heapMemory()
	rss, rssKnown := kernelField("/proc/self/status", "VmRSS:")
	peak, peakKnown := kernelField("/proc/self/status", "VmHWM:")
	reply := is("memory").maybe("rss", rss, rssKnown).maybe("peak_rss", peak, peakKnown && !w.tally.peakLost).
		number("heap", heap).maybe("peak_heap", 0, false).
		maybe("allocated", allocated-w.tally.allocated, w.tally.began).text("counter", "runtime.MemStats").end()
	if reset {
		w.tally = tally{began: true, peakLost: !resetPeak()}
		_, w.tally.allocated = heapMemory()
	}
	return reply, nil
}

// heapMemory is the size of Go's heap, garbage not yet collected included, and
// the sum of all allocations, in bytes.
func heapMemory() (heap, allocated uint64) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc, stats.TotalAlloc
}

// resetPeak resets VmHWM to VmRSS. Format: proc_pid_clear_refs(5).
func resetPeak() bool {
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
}
