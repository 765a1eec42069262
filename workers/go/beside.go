package main

import "runtime/metrics"

// reading is what a thread's counters show at one moment.
type reading struct{ cycles, instructions, enabled, running uint64 }

// since is what was counted after an earlier reading; not known if the kernel
// gave the counters to another program for a part of it, as no extrapolation is
// a count.
func (r reading) since(earlier reading) (cycles, instructions uint64, known bool) {
	whole := r.enabled-earlier.enabled == r.running-earlier.running
	cycles, instructions = r.cycles-earlier.cycles, r.instructions-earlier.instructions
	return cycles, instructions, whole && cycles > 0
}

// beside is what a timed stretch costs beside its time: cycles, faults of pages,
// collections of garbage.
type beside struct {
	cycles, instructions, faults, collections uint64
	cyclesKnown, faultsKnown                  bool
}

// watch runs f on the calling thread, which must not change meanwhile, and
// counts what it costs. What it reads lies outside the readings of f's clocks.
func watch(c *counters, f func()) beside {
	var b beside
	collections := collected()
	faults, _ := minorFaults()
	core, counted := c.read()
	f()
	if after, known := c.read(); counted && known {
		b.cycles, b.instructions, b.cyclesKnown = after.since(core)
	}
	b.faults, b.faultsKnown = minorFaults()
	b.faults -= faults
	b.collections = collected() - collections
	return b
}

var collections = []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}

// collected is how many collections of garbage have ended so far.
func collected() uint64 {
	metrics.Read(collections)
	return collections[0].Value.Uint64()
}
