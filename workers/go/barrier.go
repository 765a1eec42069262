package main

// How the threads of a cell go through a sample together: in steps that all
// begin at once. The last to arrive decides what a step is: another batch of
// the warm-up, then a moment for reading CPU clocks, then the timed calls. A
// thread that leaves before the end breaks the barrier, so that no other thread
// waits for it.

import (
	"errors"
	"sync/atomic"
)

// looks is how often a waiting thread looks before it yields its CPU to others,
// possibly to the thread that it waits for.
const looks = 1 << 14

// errLeft is the error of the other threads when one has failed.
var errLeft = errors.New("another thread failed")

// step is what all threads do now: count iterations from first on. With none,
// it is the moment to read CPU clocks. Each reading costs a system call: it
// must not be in the timed stretch, nor before a long wait.
type step struct {
	first, count uint64
	timed        bool
}

type barrier struct {
	size           uint64
	arrived, begun atomic.Uint64 // over all steps
	broken         atomic.Bool

	// Only the last to arrive writes what follows, while the others wait.
	step               step
	warm               bool   // the warm-up is over, and the CPU clocks are being read
	last               uint64 // the last iteration handed out
	warmup, iterations uint64 // ns, calls
	batch              uint64 // of the warm-up
	began, opened      uint64 // when the warm-up began, when the step did
}

// place is one thread's in a barrier; each thread must take one.
type place struct {
	*barrier
	steps  uint64
	poised bool   // the timed calls are next
	cpu    uint64 // the thread's CPU time before them
	done   bool
}

// next waits until all have arrived, and returns what to do then.
func (p *place) next() (step, error) {
	now, err := p.meet()
	if err != nil || now.count > 0 {
		return now, err
	}
	p.poised = true
	p.cpu, _ = threadCPUTime()
	return p.meet()
}

// meet spins, because a sleeping thread wakes some microseconds late.
func (p *place) meet() (step, error) {
	p.steps++
	if p.arrived.Add(1) == p.steps*p.size {
		p.begin()
	}
	for looked := 1; p.begun.Load() < p.steps; looked++ {
		if p.broken.Load() {
			return step{}, errLeft
		}
		if looked%looks == 0 {
			yield()
			if p.poised { // a long wait before the timed calls does not count as theirs
				p.cpu, _ = threadCPUTime()
			}
		}
	}
	return p.step, nil
}

// begin decides what the next step is.
func (m *barrier) begin() {
	at := now()
	if m.begun.Load() == 0 {
		m.began, m.batch = at, 1
	} else if !m.warm {
		m.batch = nextBatch(m.batch, at-m.opened, m.warmup-min(m.warmup, at-m.began))
	}
	m.step = step{first: m.last + 1, timed: m.warm}
	switch {
	case m.warm:
		m.step.count = m.iterations
	case at-m.began < m.warmup:
		m.step.count = m.batch
	default:
		m.warm = true
	}
	m.last += m.step.count
	m.opened = now()
	m.begun.Add(1)
}

// leave breaks the barrier unless the thread has finished.
func (p *place) leave() {
	if !p.done {
		p.broken.Store(true)
	}
}
