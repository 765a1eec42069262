package main

// A cell of several threads. Each has a goroutine with its own operating system
// thread, its own library object and its own part of the arena; all live as
// long as the cell, and sleep between requests.

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// maxThreads is the most threads of a cell.
const maxThreads = 1024

type pool struct {
	members []*member
}

type member struct {
	part  *cell // the cell as this thread does it, under its own key
	jobs  chan func()
	ended chan struct{}
}

// newPool starts the threads of c and lets each set up its part.
func newPool(c *cell, threads int) (*pool, error) {
	pool := &pool{}
	for t := range threads {
		part := *c
		part.thread = t
		m := &member{part: &part, jobs: make(chan func(), 1), ended: make(chan struct{})}
		pool.members = append(pool.members, m)
		go m.live()
	}
	err := pool.all(func(_ int, part *cell) error { return part.setUp() })
	if err != nil {
		pool.release()
	}
	return pool, err
}

// live does one job after another. The thread is never unlocked: it ends with
// the goroutine.
func (m *member) live() {
	runtime.LockOSThread()
	settle(m.part.thread)
	defer close(m.ended)
	for job := range m.jobs {
		job()
	}
}

// release ends the threads and waits for their ends.
func (c *pool) release() {
	for _, m := range c.members {
		close(m.jobs)
	}
	for _, m := range c.members {
		<-m.ended
	}
}

// all makes every thread do the job and waits for each. The error is that of
// the first thread that failed by itself.
func (c *pool) all(job func(thread int, part *cell) error) error {
	errs := make([]error, len(c.members))
	var waiting sync.WaitGroup
	for t, m := range c.members {
		waiting.Add(1)
		m.jobs <- func() {
			defer waiting.Done()
			errs[t] = guarded(func() error { return job(t, m.part) })
		}
	}
	waiting.Wait()
	for t, err := range errs {
		if err != nil && !errors.Is(err, errLeft) {
			return fmt.Errorf("thread %d: %w", t, err)
		}
	}
	return nil
}

var errPanicked = errors.New("the library panicked")

// guarded turns a panic, which in a separate goroutine would end the worker,
// into an error.
func guarded(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v", errPanicked, cause)
		}
	}()
	return do()
}

// stride is the memory of an arena for each of several threads: whole pages,
// even where the system's are larger, so that no two threads share one.
func (c *cell) stride() uint64 {
	whole := uint64(max(page, os.Getpagesize()))
	return (c.size() + whole - 1) / whole * whole
}

// ended is the result of one thread's timed calls.
type ended struct {
	call     call
	at, cpu  uint64 // ns
	cpuKnown bool
}

// sample runs one with all threads, in as many parts of memory.
func (c *pool) sample(m *barrier, memory []byte) ([]ended, error) {
	m.size = uint64(len(c.members))
	done := make([]ended, m.size)
	err := c.all(func(t int, part *cell) error {
		place := place{barrier: m}
		defer place.leave()
		stride := part.stride()
		call := part.arm(memory[uint64(t)*stride:][:stride])
		for {
			step, err := place.next()
			if err != nil {
				return err
			}
			if err := repeat(call, step.first, step.count); err != nil {
				return err
			}
			if step.timed {
				at := now()
				cpu, known := threadCPUTime()
				done[t] = ended{call, at, cpu - place.cpu, known}
				place.done = true
				return nil
			}
		}
	})
	return done, err
}

// setProcs gives Go as many processors as the largest prepared cell has
// threads, and its earlier number when there is no such cell: a worker that was
// started on one CPU has one, whatever its mask is now.
func (w *worker) setProcs(threads int) {
	for _, c := range w.cells {
		if c.pool != nil {
			threads = max(threads, len(c.pool.members))
		}
	}
	switch {
	case threads > 1:
		if w.procs == 0 {
			w.procs = runtime.GOMAXPROCS(0)
		}
		runtime.GOMAXPROCS(max(threads, w.procs))
	case w.procs > 0:
		runtime.GOMAXPROCS(w.procs)
		w.procs = 0
	}
}
