package main

import (
	"errors"
	"testing"
)

// shrinking is a box whose second output is a byte short.
type shrinking struct{ calls int }

func (b *shrinking) made(dst, src []byte) []byte {
	b.calls++
	if b.calls == 2 {
		src = src[1:]
	}
	return append(dst, src...)
}

func (b *shrinking) Seal(dst, _, src, _ []byte) []byte          { return b.made(dst, src) }
func (b *shrinking) Open(dst, _, src, _ []byte) ([]byte, error) { return b.made(dst, src), nil }

func TestOutputOfAnotherLengthFails(t *testing.T) {
	nonce, text := make([]byte, 12), make([]byte, 64)
	calls := map[string]call{
		"seal": &sealCall{box: &shrinking{}, number: nonce, nonce: nonce, src: text},
		"open": &openCall{box: &shrinking{}, nonce: nonce, src: text},
	}
	for name, c := range calls {
		if err := repeat(c, 1, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := repeat(c, 2, 1); !errors.Is(err, errLength) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
