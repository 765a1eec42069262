package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// ask sends one line and expects an answer of one kind.
func ask(t *testing.T, w *worker, kind, format string, args ...any) *request {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	answer := w.answer([]byte(text))
	r, err := parse(answer)
	if err != nil || r.textOr("is", "") != kind {
		t.Fatalf("%s\nanswered %s, want %s", text, answer, kind)
	}
	return r
}

// hosting is a worker with the named providers.
func hosting(t testing.TB, names ...string) *worker {
	t.Helper()
	w, err := newWorker(names...)
	if err != nil || len(w.absent) > 0 {
		t.Fatal(err, w.absent)
	}
	return w
}

// find is an offer of provider go.
func find(t *testing.T, name string) algorithm {
	t.Helper()
	for _, a := range hosting(t, "go").offers {
		if a.name == name {
			return a
		}
	}
	t.Fatalf("no %s", name)
	return algorithm{}
}

// The sizes are those of the one table, conformance/algorithms.json.
func TestSizesAreThoseOfTheTable(t *testing.T) {
	text, err := os.ReadFile("../../conformance/algorithms.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Algorithm  string
		Key, Nonce int
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	sizes := map[string][2]int{}
	for _, row := range rows {
		sizes[row.Algorithm] = [2]int{row.Key, row.Nonce}
	}
	for _, offer := range hosting(t).offers {
		if own := [2]int{offer.key, offer.nonce}; own != sizes[offer.name] {
			t.Errorf("%s: key and nonce of %v bytes, in the table %v", offer.name, own, sizes[offer.name])
		}
	}
}

// whole is the message, or the shortest sector that it fits into.
func whole(a algorithm, message int) int {
	if !a.sectors {
		return message
	}
	return max(1, (message+15)/16) * 16
}

func prepare(t *testing.T, w *worker, a algorithm, operation, form string, message int) {
	t.Helper()
	message = whole(a, message)
	ask(t, w, "ready", `{"do":"prepare","cell":1,"provider":%q,"algorithm":%q,"operation":%q,"form":%q,"message":%d,"aad":13,"seed":42,"offset":192}`,
		a.provider, a.name, operation, form, message)
}

func each(t *testing.T, do func(t *testing.T, a algorithm, operation, form string)) {
	for _, a := range hosting(t).offers {
		for _, operation := range a.operations {
			for _, form := range a.forms {
				t.Run(a.provider+"/"+a.name+"/"+operation+"/"+form, func(t *testing.T) { do(t, a, operation, form) })
			}
		}
	}
}

// The output that samples leave has the same digest as recomputed output,
// chains included.
func TestLeftIsWhatIsMadeAnew(t *testing.T) {
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		w := hosting(t)
		for _, message := range []int{0, 1, 15, 16, 17, 255, 4097} {
			prepare(t, w, a, operation, form, message)
			ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":2}`)
			r := ask(t, w, "sample", `{"do":"sample","cell":1,"warmup_ns":5000,"iterations":3}`)
			first, last := r.number("first", 3, 3), r.number("last", 6, maxNumber)
			if r.err != nil {
				t.Fatal(r.err)
			}
			if operation == "key-setup" {
				ask(t, w, "unsupported", `{"do":"digest","cell":1,"iteration":1}`)
			} else {
				want := `{"do":"digest","cell":1,"first":%d,"iteration":%d}`
				ask(t, w, "digest", `{"do":"digest","cell":1,"iteration":0}`) // leaves the leftovers alone
				if w.left.cell == nil {
					t.Fatal("nothing was left")
				}
				left := ask(t, w, "digest", want, first, last).text("sha256")
				ask(t, w, "latency", `{"do":"latency","cell":1,"count":2}`)
				if anew := ask(t, w, "digest", want, first, last).text("sha256"); anew != left {
					t.Errorf("%d bytes: left %s, anew %s", message, left, anew)
				}
			}
			ask(t, w, "released", `{"do":"release","cell":1}`)
		}
	})
}

// A call that did nothing must be detected, though an earlier one did the same
// work.
func TestSkippedCallsShow(t *testing.T) {
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		if operation == "key-setup" || form == "fresh" {
			return
		}
		w := hosting(t)
		prepare(t, w, a, operation, form, 64)
		want := ask(t, w, "digest", `{"do":"digest","cell":1,"iteration":1}`).text("sha256")
		ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":1}`)
		w.left.calls = only(w.cells[1].arm(w.arena.memory))
		if got := ask(t, w, "digest", `{"do":"digest","cell":1,"first":1,"iteration":1}`).text("sha256"); got == want {
			t.Error("the output of an earlier sample passed for this one's")
		}
	})
}

func TestLatencyWarmsUp(t *testing.T) {
	w := hosting(t)
	prepare(t, w, find(t, "aes-256-gcm"), "seal", "into", 64)
	ask(t, w, "latency", `{"do":"latency","cell":1,"count":2,"warmup_ns":0}`)
	ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":1}`).number("first", 3, 3)
	r := ask(t, w, "latency", `{"do":"latency","cell":1,"count":2,"warmup_ns":1000000}`)
	if times, _ := r.values["ns"].([]uint64); len(times) != 2 {
		t.Errorf("%d times, want 2", len(times))
	}
	r = ask(t, w, "sample", `{"do":"sample","cell":1,"iterations":1}`)
	if r.number("first", 7, maxNumber); r.err != nil {
		t.Error(r.err)
	}
}

func TestCheck(t *testing.T) {
	w := hosting(t)
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		inverse := map[string]string{"seal": "open", "encrypt": "decrypt"}[operation]
		if inverse == "" {
			return
		}
		const text = `{"do":"check","provider":%q,"algorithm":%q,"operation":%q,"form":%q,"key":"%x","nonce":"%x","aad":"0a","input":"%s"}`
		key, nonce, message := stream("key", 1, a.key), stream("nonce", 1, a.nonce), strings.Repeat("00112233", 4)
		if a.sectors {
			ask(t, w, "unsupported", text, a.provider, a.name, operation, form, key, nonce, message)
			clear(nonce[8:])
			ask(t, w, "unsupported", text, a.provider, a.name, operation, form, key, nonce, message+"00")
		}
		sealed := ask(t, w, "output", text, a.provider, a.name, operation, form, key, nonce, message).text("output")
		if back := ask(t, w, "output", text, a.provider, a.name, inverse, form, key, nonce, sealed).text("output"); back != message {
			t.Errorf("came back as %s", back)
		}
		ask(t, w, "unsupported", text, a.provider, a.name, operation, form, key[1:], nonce, "")
		if !a.anyNonce {
			ask(t, w, "unsupported", text, a.provider, a.name, operation, form, key, append(nonce, 0), "")
		}
		ask(t, w, "error", text, a.provider, a.name, operation, form, key, nonce, strings.Repeat("00", maxInput+1))
		if operation == "seal" {
			forged := "0" + sealed[1:]
			if forged == sealed {
				forged = "1" + sealed[1:]
			}
			ask(t, w, "rejected", text, a.provider, a.name, inverse, form, key, nonce, forged)
		}
		if operation == "seal" || a.name == "aes-256-cbc" {
			ask(t, w, "rejected", text, a.provider, a.name, inverse, form, key, nonce, sealed[:30])
			ask(t, w, "rejected", text, a.provider, a.name, inverse, form, key, nonce, "")
		}
	})
}

// The timed loop allocates only what the library allocates for every user.
func TestTimedCallsDoNotAllocate(t *testing.T) {
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		if operation == "key-setup" || form == "fresh" || a.name == "aes-256-ctr" || a.name == "aes-256-cbc" {
			return
		}
		w := hosting(t)
		prepare(t, w, a, operation, form, 112)
		call, err := w.arm(w.cells[1])
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = call.iterate(1) }); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

func TestAProcessHostsTheProvidersNamed(t *testing.T) {
	if len(hosting(t).offers) == 0 {
		t.Error("no name is all providers, and there are none")
	}
	for _, p := range providers {
		for _, a := range hosting(t, p.name).offers {
			if a.provider != p.name {
				t.Errorf("asked for %s, got %s of %s", p.name, a.name, a.provider)
			}
		}
	}
	if _, err := newWorker("go", "none"); err == nil {
		t.Error("an unknown provider was accepted")
	}
}

func TestAnAbsentProviderIsNamed(t *testing.T) {
	defer func(all []provider) { providers = all }(providers)
	providers = []provider{{"gone", func() ([]algorithm, error) { return nil, errors.New("gone for lunch; wait") }}}
	w, err := newWorker("gone")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(w.describe(), []byte(`{"is":"absent","provider":"gone","why":"gone for lunch; wait"}`+"\n")) {
		t.Errorf("%s", w.describe())
	}
}

// held keeps the test's allocations on the heap.
var held []byte

func TestMemoryCountsFromTheReset(t *testing.T) {
	w := hosting(t)
	r := ask(t, w, "memory", `{"do":"memory","reset":1}`)
	if _, counted := r.values["allocated"]; counted || r.text("counter") == "" {
		t.Error("counted before the first reset, or without a counter")
	}
	const each, times = 48, 1000
	for range times {
		held = make([]byte, each)
	}
	r = ask(t, w, "memory", `{"do":"memory","reset":0}`)
	// The allocations for reading a line count, too.
	r.number("allocated", each*times, each*times+64<<10)
	r.number("heap", 1, maxNumber)
	if r.err != nil {
		t.Error(r.err)
	}
	ask(t, w, "error", `{"do":"memory","reset":2}`)
}

func TestThePeakBeginsAnew(t *testing.T) {
	if !resetPeak() {
		t.Skip("this system keeps its peak")
	}
	const size = 64 << 20
	w := hosting(t)
	memory, err := w.arena.atLeast(size)
	if err != nil {
		t.Fatal(err)
	}
	fill(memory, []byte{1})
	peak := func(text string) uint64 { return ask(t, w, "memory", "%s", text).number("peak_rss", 1, maxNumber) }
	if peak(`{"do":"memory"}`) < size {
		t.Error("the peak is too low")
	}
	w.arena.free()
	high := peak(`{"do":"memory","reset":1}`)
	if low := peak(`{"do":"memory"}`); low > high-size/2 {
		t.Errorf("the peak was %d, then %d", high, low)
	}
}

func TestErrorsAreAnswered(t *testing.T) {
	w := hosting(t)
	gcm := find(t, "aes-256-gcm")
	prepare(t, w, gcm, "seal", "into", 64)
	const cell = `{"do":"prepare","cell":2,"provider":"go","algorithm":"aes-256-gcm","operation":"seal","form":"into","message":16,"seed":1`
	for _, c := range []struct{ kind, text string }{
		{"error", `{"do":"fly"}`}, {"error", `{}`}, {"error", `nonsense`},
		{"error", `{"do":"sample","cell":9,"iterations":1}`}, {"error", `{"do":"sample","cell":1,"iterations":0}`},
		{"error", `{"do":"sample","cell":1,"iterations":4294967296}`}, {"error", `{"do":"latency","cell":1,"count":4001}`},
		{"error", `{"do":"digest","cell":1}`}, {"error", `{"do":"release","cell":4294967296}`},
		{"error", cell + `,"offset":100}`}, {"error", cell + `,"message":1073741825}`}, {"error", cell + `,"cell":1}`},
		{"unsupported", cell + `,"threads":1025}`}, {"unsupported", cell + `,"threads":9007199254740991}`},
		{"error", cell + `,"threads":0}`}, {"error", `{"do":"latency","cell":1,"count":1,"warmup_ns":-1}`}, {"unsupported", cell + `,"algorithm":"aes-256-siv"}`},
		{"unsupported", cell + `,"provider":"other"}`}, {"unsupported", cell + `,"operation":"encrypt"}`},
		{"unsupported", cell + `,"form":"sideways"}`},
		{"ready", cell + `}`}, {"released", `{"do":"release","cell":2}`},
	} {
		ask(t, w, c.kind, "%s", c.text)
	}
}

type panicking struct{}

func (panicking) Seal(_, _, _, _ []byte) []byte          { panic("broken") }
func (panicking) Open(_, _, _, _ []byte) ([]byte, error) { panic("broken") }

func TestPanicsAreAnswered(t *testing.T) {
	w := hosting(t)
	prepare(t, w, find(t, "aes-256-gcm"), "seal", "into", 64)
	w.cells[1].box = panicking{}
	ask(t, w, "error", `{"do":"sample","cell":1,"iterations":1}`)
	ask(t, w, "memory", `{"do":"memory"}`)
}

func TestLineLimit(t *testing.T) {
	fits := `{"do":"memory","x":"` + strings.Repeat("x", maxLine-23) + "\"}\n"
	tooLong := " " + fits
	var out bytes.Buffer
	in := "\n \r\n" + fits + tooLong + strings.Repeat("y", 3*maxLine) + "\n" + `{"do":"memory"}`
	if err := hosting(t).serve(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for text := range bytes.Lines(out.Bytes()) {
		r, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, r.text("is"))
	}
	if len(fits) != maxLine || strings.Join(kinds, " ") != "memory error error memory" {
		t.Errorf("a line of %d bytes: %v", len(fits), kinds)
	}
}
