package main

import "golang.org/x/sys/unix"

// settle gives the calling thread a CPU of its own. Left to itself, the system
// lets threads that were woken together share the CPU of who woke them for
// some milliseconds: longer than a sample.
func settle(thread int) {
	var mask unix.CPUSet
	if unix.SchedGetaffinity(0, &mask) != nil || mask.Count() == 0 {
		return
	}
	place := thread % mask.Count()
	for cpu := 0; ; cpu++ {
		if !mask.IsSet(cpu) {
			continue
		}
		if place == 0 {
			var own unix.CPUSet
			own.Set(cpu)
			_ = unix.SchedSetaffinity(0, &own) // where it is refused, the system decides
			return
		}
		place--
	}
}
