package main

// The worker: requests and answers. Its state is the prepared cells, the arena
// and the sample whose output is in it.

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

const (
	maxCells   = 1 << 16
	maxCell    = 1<<32 - 1
	maxMessage = 1 << 30
	maxAAD     = 1 << 20
	maxInput   = 16 << 10 // of check
	maxAnew    = 1 << 24  // iterations of a digest
)

// unsupported is the reason why a valid request is not supported here.
type unsupported string

func (u unsupported) Error() string { return string(u) }

type worker struct {
	offers []algorithm
	absent []absence
	cells  map[uint64]*cell
	arena  arena
	left   leftovers
	tally  tally
	cpus   int // how many this process may use
	procs  int // Go's processors before a cell with threads, 0 if there is none
}

// leftovers is the latest sample's output in the buffers; its cell is nil when
// there is none any more.
type leftovers struct {
	cell        *cell
	first, last uint64
	calls       []call // of each thread
}

// newWorker hosts the named providers, or all without names.
func newWorker(names ...string) (*worker, error) {
	w := &worker{cells: map[uint64]*cell{}, cpus: runtime.NumCPU()}
	return w, w.load(names)
}

// answer is the answer to one line, newline included. A panic of a library is
// an error like any other.
func (w *worker) answer(text []byte) (reply []byte) {
	defer func() {
		if cause := recover(); cause != nil {
			w.left = leftovers{}
			reply = failure(fmt.Errorf("the library panicked: %v; leave this algorithm out and report it to the library", cause))
		}
	}()
	reply, err := w.handle(text)
	var why unsupported
	switch {
	case errors.As(err, &why):
		return is("unsupported").text("why", string(why)).end()
	case errors.Is(err, errRejected):
		return is("rejected").end()
	case err != nil:
		return failure(err)
	}
	return reply
}

func (w *worker) handle(text []byte) ([]byte, error) {
	r, err := parse(text)
	if err != nil {
		return nil, err
	}
	do := r.text("do")
	if r.err != nil {
		return nil, r.err
	}
	switch do {
	case "describe":
		return w.describe(), nil
	case "check":
		return w.check(r)
	case "prepare":
		return w.prepare(r)
	case "sample":
		return w.sample(r)
	case "latency":
		return w.latency(r)
	case "digest":
		return w.digest(r)
	case "release":
		return w.release(r)
	case "clock":
		return is("clock").number("step_ns", clockStep()).number("call_ns", clockCall()).number("loop_ns", loopCost()).end(), nil
	case "memory":
		return w.memory(r)
	}
	return nil, fmt.Errorf("unknown request %.40q; send describe, check, prepare, sample, digest, latency, clock, memory or release", do)
}

func (w *worker) describe() []byte {
	// No "background": an idle Go runtime wakes about once a second, which
	// disturbs others less than stopping and starting it around each of its
	// samples would disturb this worker.
	reply := is("worker").number("protocol", 1).text("worker", "go").text("runtime", runtime.Version()).
		number("layouts", 1).number("rotates", 1).number("process_cpu", 1).end()
	for _, a := range w.offers {
		offer := is("offer").text("provider", a.provider).text("version", a.version).text("algorithm", a.name).
			text("operations", strings.Join(a.operations, ",")).text("forms", strings.Join(a.forms, ",")).text("path", a.path)
		if a.setupInside {
			offer = offer.text("setup", "inside")
		}
		reply = append(reply, offer.end()...)
	}
	for _, a := range w.absent {
		reply = append(reply, is("absent").text("provider", a.provider).text("why", a.why.Error()).end()...)
	}
	return append(reply, is("end").end()...)
}

// find reads which of the offers a request concerns.
func (w *worker) find(r *request) (a algorithm, operation, form string, err error) {
	who, name, operation := r.text("provider"), r.text("algorithm"), r.text("operation")
	form = r.textOr("form", "")
	if r.err != nil {
		return a, "", "", r.err
	}
	i := slices.IndexFunc(w.offers, func(a algorithm) bool { return a.provider == who && a.name == name })
	if i < 0 {
		return a, "", "", unsupported(fmt.Sprintf("no %.40q of provider %.40q here; describe lists what there is", name, who))
	}
	a = w.offers[i]
	if !slices.Contains(a.operations, operation) {
		return a, "", "", unsupported(fmt.Sprintf("%s has no operation %.40q; it has %s", name, operation, strings.Join(a.operations, ", ")))
	}
	if form == "" {
		form = a.forms[0]
	}
	if !slices.Contains(a.forms, form) {
		return a, "", "", unsupported(fmt.Sprintf("%s has no form %.40q; it has %s", name, form, strings.Join(a.forms, ", ")))
	}
	return a, operation, form, nil
}

func (w *worker) prepare(r *request) ([]byte, error) {
	a, operation, form, err := w.find(r)
	c := &cell{algorithm: a, operation: operation, form: form}
	id := r.number("cell", 0, maxCell)
	c.message = r.number("message", 0, maxMessage)
	c.aad = r.numberOr("aad", 0, 0, maxAAD)
	c.seed = r.number("seed", 0, maxNumber)
	c.offset = r.numberOr("offset", 0, 0, page-1)
	threads := r.numberOr("threads", 1, 1, maxNumber)
	c.instances = r.numberOr("instances", 1, 1, maxInstances)
	texts, keys := r.numberOr("texts", 1, 1, maxTexts), r.numberOr("keys", 1, 1, maxKeys)
	c.nonceAt = c.offset
	if c.offset%64 != 0 {
		r.fail("the key \"offset\" is not a multiple of 64; send one")
	}
	if r.err == nil {
		c.rotation = newRotation(texts, keys, c.message, a)
	}
	if w.cells[id] != nil {
		r.fail("cell %d is prepared already; release it first or take another number", id)
	}
	if len(w.cells) >= maxCells {
		r.fail("%d cells are prepared; release some first", maxCells)
	}
	switch free, known := freeMemory(); {
	case r.err != nil:
		return nil, r.err
	case err != nil:
		return nil, err
	case threads > maxThreads:
		return nil, unsupported(fmt.Sprintf("%d threads; at most %d can be asked for", threads, maxThreads))
	case threads > 1 && threads > uint64(w.cpus):
		return nil, unsupported(fmt.Sprintf("%d threads; CPUs that this process may use: %d", threads, w.cpus))
	case threads > 1 && c.draws():
		return nil, unsupported(fmt.Sprintf("%d threads; %s draws nonces from a source that is one for the whole process; %s with one thread", threads, a.provider, operation))
	case c.rotates() && (threads > 1 || operation == "key-setup"):
		return nil, unsupported("several texts or keys go round in single calls of one thread alone")
	case c.opens() && texts%keys != 0:
		return nil, unsupported(fmt.Sprintf("%d texts to open under %d keys: each key has as many as any other", texts, keys))
	case operation != "key-setup" && a.refuse(c.message) != nil:
		return nil, a.refuse(c.message)
	case known && c.need(threads) > free/2:
		return nil, unsupported(fmt.Sprintf("this cell needs %d bytes, more than half of the free memory of %d bytes", c.need(threads), free))
	}
	switch err := w.setUp(c, int(threads)); {
	case errors.Is(err, errPanicked):
		return nil, err
	case err != nil:
		return nil, unsupported(err.Error())
	}
	w.cells[id] = c
	return is("ready").number("cell", id).end(), nil
}

// setUp creates what the samples of c share, in as many threads.
func (w *worker) setUp(c *cell, threads int) (err error) {
	if threads == 1 {
		return c.setUp()
	}
	w.setProcs(threads)
	if c.pool, err = newPool(c, threads); err != nil {
		w.setProcs(1)
	}
	return err
}

// cell reads which cell a request concerns.
func (w *worker) cell(r *request) (uint64, *cell) {
	id := r.number("cell", 0, maxCell)
	c := w.cells[id]
	if c == nil {
		r.fail("cell %d is not prepared; send prepare first", id)
	}
	return id, c
}

func (w *worker) release(r *request) ([]byte, error) {
	id, c := w.cell(r)
	if r.err != nil {
		return nil, r.err
	}
	if w.left.cell == c {
		w.left = leftovers{}
	}
	delete(w.cells, id)
	if c.pool != nil {
		c.pool.release()
		w.setProcs(1)
	}
	if len(w.cells) == 0 {
		w.left = leftovers{}
		w.arena.free() // a large cell's memory must not affect later measurements
	}
	return is("released").number("cell", id).end(), nil
}

func (w *worker) digest(r *request) ([]byte, error) {
	id, c := w.cell(r)
	iteration := r.number("iteration", 0, maxNumber)
	first := r.numberOr("first", iteration, 0, maxNumber)
	if r.err != nil {
		return nil, r.err
	}
	if c.operation == "key-setup" {
		return nil, unsupported("key-setup has no digest")
	}
	var scratch arena // not the worker's, where a sample's output may wait for its own digest
	defer scratch.free()
	sum := sha256.New()
	for t, part := range c.parts() {
		if w.left.cell == c && first == w.left.first && iteration == w.left.last {
			sum.Write(w.left.calls[t].output())
			continue
		}
		// The threads sleep, so their parts can be used here, one after another.
		anew, err := part.anew(&scratch, first, iteration)
		if err != nil {
			return nil, fmt.Errorf("digest of cell %d: %w", id, err)
		}
		sum.Write(anew.output())
	}
	return is("digest").number("cell", id).text("sha256", hex.EncodeToString(sum.Sum(nil))).end(), nil
}
