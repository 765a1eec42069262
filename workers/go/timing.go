package main

// The timed requests, sample and latency, and the recomputed output for a
// digest.

import (
	"fmt"
	"runtime"
)

// arm sets up the buffers of c in the worker's arena; its former content is
// lost.
func (w *worker) arm(c *cell) (call, error) {
	w.left = leftovers{}
	memory, err := w.arena.atLeast(c.size())
	if err != nil {
		return nil, err
	}
	return c.arm(memory), nil
}

// repeat does the next count iterations of c. Their numbers are used up before
// they run, so that none occurs twice even if one fails.
func (c *cell) repeat(call call, count uint64) error {
	first := c.last + 1
	c.last += count
	return repeat(call, first, count)
}

// warmUp calls until at least ns have passed, in batches, so that the clock is
// read rarely, and until each key has had its turn.
func (c *cell) warmUp(call call, ns uint64) error {
	begin, began := now(), c.last
	for passed, batch := uint64(0), uint64(1); passed < ns; {
		if err := c.repeat(call, batch); err != nil {
			return err
		}
		before := passed
		passed = now() - begin
		batch = nextBatch(batch, passed-before, ns-min(ns, passed))
	}
	if done := c.last - began; ns > 0 && done < c.round() {
		return c.repeat(call, c.round()-done)
	}
	return nil
}

// nextBatch is the size of a warm-up's batch after one that took so many ns,
// with so many left: twice as large, but not far beyond the end, as in all
// workers.
func nextBatch(batch, took, left uint64) uint64 {
	most := float64(left)*float64(batch)/float64(max(took, 1)) + 1
	return uint64(min(float64(batch)*2, most))
}

func (w *worker) sample(r *request) ([]byte, error) {
	id, c := w.cell(r)
	warmup := r.numberOr("warmup_ns", 0, 0, maxNumber)
	iterations := r.number("iterations", 1, 1<<32-1)
	layout, moved := readLayout(r)
	if r.err != nil {
		return nil, r.err
	}
	if moved {
		c.moveTo(layout)
	}
	if c.pool != nil {
		return w.poolSample(id, c, warmup, iterations)
	}
	call, err := w.arm(c)
	if err != nil {
		return nil, sampleFailed(id, err)
	}
	first := c.last + 1
	var begin, end, cpuBegin, cpuEnd uint64
	var cpuKnown bool
	var b beside
	// The counters are this thread's.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	counters := threadCounters()
	below(c.depth, func() {
		if err = c.warmUp(call, warmup); err != nil {
			return
		}
		b = watch(counters, func() {
			cpuBegin, cpuKnown = cpuTime()
			begin = now()
			err = c.repeat(call, iterations)
			end = now()
			cpuEnd, _ = cpuTime()
		})
	})
	if err != nil {
		return nil, sampleFailed(id, err)
	}
	w.left = leftovers{cell: c, first: first, last: c.last, calls: only(call)}
	return w.sampled(id, iterations, end-begin, cpuEnd-cpuBegin, cpuKnown).
		maybe("cycles", b.cycles, b.cyclesKnown).maybe("instructions", b.instructions, b.cyclesKnown).
		maybe("minor_faults", b.faults, b.faultsKnown).number("collections", b.collections).end(), nil
}

// only is a list of one.
func only(c call) []call { return []call{c} }

// poolSample is sample for several threads.
func (w *worker) poolSample(id uint64, c *cell, warmup, iterations uint64) ([]byte, error) {
	w.left = leftovers{}
	memory, err := w.arena.atLeast(uint64(len(c.pool.members)) * c.stride())
	if err != nil {
		return nil, sampleFailed(id, err)
	}
	first := c.last + 1
	m := barrier{last: c.last, warmup: warmup, iterations: iterations}
	done, err := c.pool.sample(&m, memory)
	c.last = m.last // used up even if a call failed
	if err != nil {
		return nil, sampleFailed(id, err)
	}
	w.left = leftovers{cell: c, first: first, last: c.last}
	var ns, cpu uint64
	for _, ended := range done {
		w.left.calls = append(w.left.calls, ended.call)
		ns = max(ns, ended.at-m.opened)
		cpu += ended.cpu
	}
	return w.sampled(id, iterations, ns, cpu, done[0].cpuKnown).end(), nil
}

// sampled begins the answer for the sample in w.left.
func (w *worker) sampled(id, iterations, ns, cpu uint64, cpuKnown bool) line {
	return is("sample").number("cell", id).number("iterations", iterations).number("ns", ns).
		maybe("cpu_ns", cpu, cpuKnown).number("first", w.left.first).number("last", w.left.last)
}

// sampleFailed is never errRejected: that is an answer of check only.
func sampleFailed(id uint64, err error) error {
	return fmt.Errorf("cell %d failed: %v; release it and leave this offer out", id, err)
}

func (w *worker) latency(r *request) ([]byte, error) {
	id, c := w.cell(r)
	times := make([]uint64, r.number("count", 1, 4000))
	warmup := r.numberOr("warmup_ns", 0, 0, maxNumber)
	if r.err != nil {
		return nil, r.err
	}
	if c.pool != nil {
		return nil, unsupported("latency of several threads; prepare the cell with one")
	}
	call, err := w.arm(c)
	if err != nil {
		return nil, sampleFailed(id, err)
	}
	if err := c.warmUp(call, warmup); err != nil {
		return nil, sampleFailed(id, err)
	}
	for i := range times {
		number := c.last + 1
		c.last = number
		begin := now()
		err := call.iterate(number)
		times[i] = now() - begin
		if err != nil {
			return nil, sampleFailed(id, err)
		}
	}
	reply := is("latency").number("cell", id).numbers("ns", times).number("clock_ns", clockCall()).end()
	if len(reply) > maxLine {
		return nil, fmt.Errorf("the answer is longer than %d bytes; ask for a smaller count", maxLine)
	}
	return reply, nil
}

// anew recomputes the output of an iteration in scratch. Where iterations work
// on each other's output, it runs all from first on.
func (c *cell) anew(scratch *arena, first, iteration uint64) (call, error) {
	if !c.chains() {
		first = iteration
	}
	if first > iteration || iteration-first >= maxAnew {
		return nil, fmt.Errorf("%d to %d is not a range of 1 to %d iterations; send another first", first, iteration, maxAnew)
	}
	memory, err := scratch.atLeast(c.size())
	if err != nil {
		return nil, err
	}
	call := c.arm(memory)
	// Each text has a chain of its own.
	step := max(1, c.texts)
	for i := first + (iteration-first)%step; i <= iteration; i += step {
		if err := call.iterate(i); err != nil {
			return nil, fmt.Errorf("iteration %d: %v; leave this offer out", i, err)
		}
	}
	return call, nil
}
