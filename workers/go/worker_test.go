package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// ask sends one line and wants an answer of one kind.
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

func prepare(t *testing.T, w *worker, a algorithm, operation, form string, message int) {
	t.Helper()
	ask(t, w, "ready", `{"do":"prepare","cell":1,"provider":"go","algorithm":%q,"operation":%q,"form":%q,"message":%d,"aad":13,"seed":42,"offset":192}`,
		a.name, operation, form, message)
}

func each(t *testing.T, do func(t *testing.T, a algorithm, operation, form string)) {
	for _, a := range algorithms() {
		for _, operation := range a.operations {
			for _, form := range a.forms {
				t.Run(a.name+"/"+operation+"/"+form, func(t *testing.T) { do(t, a, operation, form) })
			}
		}
	}
}

// What samples leave has the digest of what is made anew, chains included.
func TestLeftIsWhatIsMadeAnew(t *testing.T) {
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		w := newWorker()
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

// A call that did nothing must show, though an earlier one did the same work.
func TestSkippedCallsShow(t *testing.T) {
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		if operation == "key-setup" || form == "fresh" {
			return
		}
		w := newWorker()
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
	w := newWorker()
	prepare(t, w, algorithms()[1], "seal", "into", 64)
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
	w := newWorker()
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		inverse := map[string]string{"seal": "open", "encrypt": "decrypt"}[operation]
		if inverse == "" {
			return
		}
		const text = `{"do":"check","provider":"go","algorithm":%q,"operation":%q,"form":%q,"key":"%x","nonce":"%x","aad":"0a","input":"%s"}`
		key, nonce := stream("key", 1, a.key), stream("nonce", 1, a.nonce)
		sealed := ask(t, w, "output", text, a.name, operation, form, key, nonce, "00112233").text("output")
		if back := ask(t, w, "output", text, a.name, inverse, form, key, nonce, sealed).text("output"); back != "00112233" {
			t.Errorf("came back as %s", back)
		}
		ask(t, w, "unsupported", text, a.name, operation, form, key[1:], nonce, "")
		if a.name != "xor" && !a.anyNonce {
			ask(t, w, "unsupported", text, a.name, operation, form, key, nonce[1:], "")
		}
		ask(t, w, "error", text, a.name, operation, form, key, nonce, strings.Repeat("00", maxInput+1))
		if operation == "seal" {
			forged := "0" + sealed[1:]
			if forged == sealed {
				forged = "1" + sealed[1:]
			}
			ask(t, w, "rejected", text, a.name, inverse, form, key, nonce, forged)
		}
		if operation == "seal" || a.name == "aes-256-cbc" {
			ask(t, w, "rejected", text, a.name, inverse, form, key, nonce, sealed[:30])
			ask(t, w, "rejected", text, a.name, inverse, form, key, nonce, "")
		}
	})
}

// The timed loop allocates only what the library does for every user.
func TestTimedCallsDoNotAllocate(t *testing.T) {
	each(t, func(t *testing.T, a algorithm, operation, form string) {
		if operation == "key-setup" || form == "fresh" || a.name == "aes-256-ctr" || a.name == "aes-256-cbc" {
			return
		}
		w := newWorker()
		prepare(t, w, a, operation, form, 100)
		call, err := w.arm(w.cells[1])
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = call.iterate(1) }); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

func TestErrorsAreAnswered(t *testing.T) {
	w := newWorker()
	gcm := algorithms()[1]
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
	w := newWorker()
	prepare(t, w, algorithms()[1], "seal", "into", 64)
	w.cells[1].box = panicking{}
	ask(t, w, "error", `{"do":"sample","cell":1,"iterations":1}`)
	ask(t, w, "memory", `{"do":"memory"}`)
}

func TestLineLimit(t *testing.T) {
	fits := `{"do":"memory","x":"` + strings.Repeat("x", maxLine-23) + "\"}\n"
	tooLong := " " + fits
	var out bytes.Buffer
	in := "\n \r\n" + fits + tooLong + strings.Repeat("y", 3*maxLine) + "\n" + `{"do":"memory"}`
	if err := serve(strings.NewReader(in), &out); err != nil {
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
