//go:build darwin || dragonfly || freebsd || linux || openbsd

package main

import "golang.org/x/sys/unix"

// cpuTime is the CPU time of all threads of this process in nanoseconds.
func cpuTime() (ns uint64, known bool) { return cpuClock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// threadCPUTime is the CPU time of the calling thread in nanoseconds. With
// several threads, only the sum of these is right: Linux updates a process's
// clock for the thread that reads it, but for the others only to their last
// tick, up to milliseconds ago.
func threadCPUTime() (ns uint64, known bool) { return cpuClock(unix.CLOCK_THREAD_CPUTIME_ID) }

func cpuClock(clock int32) (ns uint64, known bool) {
	var at unix.Timespec
	if unix.ClockGettime(clock, &at) != nil {
		return 0, false
	}
	return uint64(at.Nano()), true
}
