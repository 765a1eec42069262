package main

// Facts about the clock and the system's memory, each known or absent, never
// guessed.

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

var origin = time.Now()

// now is the monotonic clock that times samples, in nanoseconds.
func now() uint64 {
	return uint64(time.Since(origin))
}

// clockStep is the smallest step other than 0 between two readings, in
// nanoseconds, out of 10,000 steps or a tenth of a second.
func clockStep() uint64 {
	step := uint64(math.MaxUint64)
	begin := now()
	last := begin
	for steps := 0; steps < 10_000 && last-begin < 100_000_000; {
		at := now()
		if at > last {
			step = min(step, at-last)
			steps++
		}
		last = at
	}
	return step
}

// quietest is the lowest of ten times of batch, in nanoseconds, for each of
// count: the result is a cost, and other work on the core only adds to it.
func quietest(count uint64, batch func()) uint64 {
	best := uint64(math.MaxUint64)
	for range 10 {
		begin := now()
		batch()
		best = min(best, now()-begin)
	}
	return (best + count/2) / count
}

// clockCall is the cost of one reading in nanoseconds.
func clockCall() uint64 {
	const count = 2000
	return quietest(count, func() {
		for range count {
			now()
		}
	})
}

// loopCost is the cost in nanoseconds of an iteration around an empty call.
func loopCost() uint64 {
	const count = 100_000
	var empty emptyCall
	return quietest(count, func() { _ = repeat(empty, 1, count) })
}

type emptyCall struct{}

func (emptyCall) iterate(uint64) error { return nil }
func (emptyCall) output() []byte       { return nil }

// freeMemory is the memory that may be allocated without swapping, in bytes.
func freeMemory() (uint64, bool) {
	return kernelField("/proc/meminfo", "MemAvailable:")
}

// kernelField reads a field that Linux gives in kB (1024 bytes), in bytes.
// Format: proc_pid_status(5), proc_meminfo(5).
func kernelField(file, name string) (uint64, bool) {
	content, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for field := range bytes.Lines(content) {
		words := strings.Fields(string(field))
		if len(words) == 3 && words[0] == name && words[2] == "kB" {
			kilobytes, err := strconv.ParseUint(words[1], 10, 50)
			return kilobytes * 1024, err == nil
		}
	}
	return 0, false
}
