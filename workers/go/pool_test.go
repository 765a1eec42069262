package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"
)

// crowded is a worker that assumes three CPUs: these tests are about bytes, not
// about time.
func crowded(t *testing.T) *worker {
	w := hosting(t)
	w.cpus = 3
	return w
}

func prepareThreads(t *testing.T, w *worker, a algorithm, operation, form string, message, threads int) {
	t.Helper()
	ask(t, w, "ready", `{"do":"prepare","cell":1,"provider":%q,"algorithm":%q,"operation":%q,"form":%q,"message":%d,"aad":13,"seed":42,"offset":192,"threads":%d}`,
		a.provider, a.name, operation, form, message, threads)
}

// alone is the output of one thread with that thread's key.
func alone(t *testing.T, a algorithm, operation, form string, message, thread int, first, last uint64) []byte {
	t.Helper()
	c := cell{algorithm: a, operation: operation, form: form, message: uint64(message), aad: 13, seed: 42, thread: thread}
	if err := c.setUp(); err != nil {
		t.Fatal(err)
	}
	var scratch arena
	defer scratch.free()
	call, err := c.anew(&scratch, first, last)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(nil), call.output()...)
}

func TestThreadsHaveKeysOfTheirOwn(t *testing.T) {
	for thread, label := range []string{"key", "key 1", "key 2"} {
		c := cell{algorithm: algorithm{key: 32}, seed: 42, thread: thread}
		if string(c.key()) != string(stream(label, 42, 32)) {
			t.Errorf("thread %d has not the stream %q", thread, label)
		}
	}
}

func TestThreadsPutOutWhatEachWouldAlone(t *testing.T) {
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		for threads := 2; threads <= 3; threads++ {
			w := crowded(t)
			message := whole(a, 4097)
			if (&cell{algorithm: a, operation: operation}).draws() {
				ask(t, w, "unsupported", `{"do":"prepare","cell":1,"provider":%q,"algorithm":%q,"operation":%q,"message":1,"seed":1,"threads":%d}`,
					a.provider, a.name, operation, threads)
				continue
			}
			prepareThreads(t, w, a, operation, form, message, threads)
			ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":2}`)
			r := ask(t, w, "sample", `{"do":"sample","cell":1,"warmup_ns":20000,"iterations":3}`)
			first, last := r.number("first", 3, 3), r.number("last", 6, maxNumber)
			if r.err != nil {
				t.Fatal(r.err)
			}
			ask(t, w, "unsupported", `{"do":"latency","cell":1,"count":2}`)
			if operation != "key-setup" {
				sum := sha256.New()
				for thread := range threads {
					sum.Write(alone(t, a, operation, form, message, thread, first, last))
				}
				const text = `{"do":"digest","cell":1,"first":%d,"iteration":%d}`
				left := ask(t, w, "digest", text, first, last).text("sha256")
				ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":1}`)
				anew := ask(t, w, "digest", text, first, last).text("sha256")
				if want := hex.EncodeToString(sum.Sum(nil)); left != want || anew != want {
					t.Errorf("%d threads: left %s, anew %s, want %s", threads, left, anew, want)
				}
			}
			ask(t, w, "released", `{"do":"release","cell":1}`)
		}
	})
}

// broken succeeds for some calls, then panics or fails.
type broken struct {
	box
	left   int
	panics bool
}

func (b *broken) Open(dst, nonce, src, aad []byte) ([]byte, error) {
	if b.left--; b.left >= 0 {
		return b.box.Open(dst, nonce, src, aad)
	}
	if b.panics {
		panic("out of luck")
	}
	return nil, errRejected
}

// In the warm-up or in the timed calls: the others do not wait for a thread
// that failed.
func TestAThreadThatFailsEndsTheSampleOnly(t *testing.T) {
	for _, panics := range []bool{false, true} {
		w := crowded(t)
		prepareThreads(t, w, find(t, "aes-256-gcm"), "open", "into", 64, 3)
		part := w.cells[1].pool.members[1].part
		part.box = &broken{box: part.box, left: 20, panics: panics}
		ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":10}`)
		ask(t, w, "error", `{"do":"sample","cell":1,"iterations":40}`)
		ask(t, w, "error", `{"do":"sample","cell":1,"warmup_ns":50000000,"iterations":1}`)
		part.box = part.box.(*broken).box
		r := ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":1}`)
		if r.number("first", 51, maxNumber); r.err != nil {
			t.Error(r.err)
		}
		ask(t, w, "released", `{"do":"release","cell":1}`)
	}
}

func TestNobodyWaitsForOneThatLeft(t *testing.T) {
	m := barrier{size: 2}
	(&place{barrier: &m}).leave()
	if _, err := (&place{barrier: &m}).next(); !errors.Is(err, errLeft) {
		t.Errorf("got %v", err)
	}
}

func TestNoThreadOutlivesItsCell(t *testing.T) {
	threads := func() int {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip("no list of threads here")
		}
		return len(tasks)
	}
	w := crowded(t)
	procs, goroutines := runtime.GOMAXPROCS(0), runtime.NumGoroutine()
	cycle := func() {
		prepareThreads(t, w, find(t, "aes-256-gcm"), "seal", "into", 64, 3)
		if runtime.GOMAXPROCS(0) < 3 {
			t.Fatal("fewer processors than threads")
		}
		ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":1}`)
		ask(t, w, "released", `{"do":"release","cell":1}`)
	}
	cycle()
	before := threads()
	for range 100 {
		cycle()
	}
	// Go keeps a few threads of its own; a hundred times three would show.
	if after := threads(); after > before+20 {
		t.Errorf("%d threads, then %d", before, after)
	}
	// One that has done its work may still be on its way out; one that stays is waited for until the tests' timeout.
	for runtime.NumGoroutine() > goroutines {
		time.Sleep(time.Millisecond)
	}
	if now := runtime.GOMAXPROCS(0); now != procs {
		t.Errorf("GOMAXPROCS %d, then %d", procs, now)
	}
}
