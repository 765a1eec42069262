//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import "golang.org/x/sys/unix"

// cpuTime is the CPU time of all threads of this process in nanoseconds.
func cpuTime() (ns uint64, known bool) {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &at) != nil {
		return 0, false
	}
	return uint64(at.Nano()), true
}
