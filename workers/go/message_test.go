package main

import (
	"bytes"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		``, `{`, `[]`, `7`, `null`, `{"a":1}{"b":2}`, `{"a":1,}`, `{"a" 1}`, `{a:1}`,
		`{"a":1.0}`, `{"a":1e3}`, `{"a":-1}`, `{"a":-0}`, `{"a":01}`, `{"a":9007199254740992}`,
		`{"a":true}`, `{"a":{}}`, `{"a":{"b":1}}`, `{"a":[[1]]}`, `{"a":["b"]}`, `{"a":[null]}`, `{"a":[1.5]}`,
		"{\"a\":\"\xff\"}", "{\"a\":\"\n\"}", `{"a":[99999999999999999999999]}`,
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestParseTakes(t *testing.T) {
	r, err := parse([]byte(" {\"a\":1,\"a\":\"caf\\u00e9\",\"n\":5,\"n\":null,\"max\":9007199254740991,\"l\":[1,2], \"e\":[]}\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.text("a"); got != "café" {
		t.Errorf("of a repeated key: %q, want the last", got)
	}
	if got := r.numberOr("n", 9, 0, 10); got != 9 {
		t.Errorf("null: %d, want the fallback", got)
	}
	if got := r.number("max", 0, maxNumber); got != maxNumber {
		t.Errorf("2^53-1: %d", got)
	}
	if r.err != nil {
		t.Error(r.err)
	}
}

func TestGettersKeepTheFirstError(t *testing.T) {
	r, _ := parse([]byte(`{"n":7,"s":"x","upper":"AB","odd":"abc"}`))
	for name, get := range map[string]func(){
		"missing":     func() { r.text("none") },
		"not text":    func() { r.text("n") },
		"not number":  func() { r.number("s", 0, 9) },
		"too large":   func() { r.number("n", 0, 6) },
		"upper case":  func() { r.bytes("upper", r.text("upper")) },
		"odd length":  func() { r.bytes("odd", r.text("odd")) },
		"not integer": func() { r.numberOr("s", 1, 0, 9) },
	} {
		r.err = nil
		if get(); r.err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"do":"describe"}`, `{"do":"clock","x":[1,2],"y":null}`, `{"do":"sample","cell":7,"warmup_ns":0,"iterations":1}`,
		`{"do":"\ud800"}`, `{"do":{"do":1}}`, `[`, "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parse(text)
		if err == nil {
			written := is("again")
			for key, value := range r.values {
				if number, ok := value.(uint64); ok && number > maxNumber {
					t.Errorf("%q holds %d", key, number)
				}
			}
			if _, err := parse(written.text("do", r.textOr("do", "")).end()); err != nil {
				t.Errorf("what was read can't be written: %v", err)
			}
			return
		}
		answer := failure(err)
		if len(answer) > maxLine || bytes.Count(answer, []byte("\n")) != 1 {
			t.Errorf("the error is no line: %q", answer)
		}
		if _, err := parse(answer); err != nil {
			t.Errorf("the error can't be read: %v", err)
		}
	})
}
