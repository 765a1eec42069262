package main

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// counters count core cycles and instructions of one thread, in user space
// (man 2 perf_event_open).
type counters struct{ leader int }

// countersOf are the counters of threads on which samples ran, by thread. A nil
// entry stands for a thread that has none.
var countersOf = map[int]*counters{}

// threadCounters are those of the calling thread, which must not change until
// they were read for the last time; nil where nothing counts.
func threadCounters() *counters {
	thread := unix.Gettid()
	known, found := countersOf[thread]
	if !found {
		known = openCounters()
		countersOf[thread] = known
	}
	return known
}

func openCounters() *counters {
	attr := unix.PerfEventAttr{
		Type:        unix.PERF_TYPE_HARDWARE,
		Size:        uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Config:      unix.PERF_COUNT_HW_CPU_CYCLES,
		Bits:        unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
		Read_format: unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	leader, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil
	}
	attr.Config = unix.PERF_COUNT_HW_INSTRUCTIONS
	if _, err := unix.PerfEventOpen(&attr, 0, -1, leader, unix.PERF_FLAG_FD_CLOEXEC); err != nil {
		_ = unix.Close(leader)
		return nil
	}
	return &counters{leader}
}

// read is what they show now.
func (c *counters) read() (r reading, known bool) {
	if c == nil {
		return r, false
	}
	// Number of counters, time enabled, time running, then their values.
	var data [5 * 8]byte
	if n, err := unix.Read(c.leader, data[:]); err != nil || n != len(data) {
		return r, false
	}
	at := func(place int) uint64 { return binary.NativeEndian.Uint64(data[8*place:]) }
	return reading{at(3), at(4), at(1), at(2)}, true
}

// minorFaults are the pages that the kernel gave this process so far without
// reading a disk.
func minorFaults() (count uint64, known bool) {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0, false
	}
	return uint64(usage.Minflt), true
}
