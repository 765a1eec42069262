//go:build !without_tink

package main

import (
	"bytes"
	"crypto/rand"
	"testing"
)

func TestOnlyWhoAsksForANonceGetsIt(t *testing.T) {
	hosting(t, "tink-go")
	nonces.nonce = []byte("twelve bytes")
	if got := make([]byte, 12); !read(got) || string(got) != "twelve bytes" {
		t.Errorf("%q", got)
	}
	if got := make([]byte, 24); !read(got) || bytes.Equal(got, make([]byte, 24)) || bytes.Equal(got[:12], got[12:]) {
		t.Errorf("%x is not the system's randomness", got)
	}
}

func read(into []byte) bool {
	n, err := rand.Read(into)
	return n == len(into) && err == nil
}

// Loading the provider again must not put the source behind itself.
func TestTheSourceIsSetUpOnce(t *testing.T) {
	for range 2 {
		hosting(t, "tink-go")
	}
	if nonces.system == &nonces {
		t.Error("the source reads from itself")
	}
}

// Iteration for iteration, Tink's output equals that of Go's own packages.
func TestTinkAgreesWithGo(t *testing.T) {
	for _, a := range hosting(t, "tink-go").offers {
		for _, b := range hosting(t, "go").offers {
			if a.name != b.name {
				continue
			}
			for _, message := range []int{0, 1, 16, 255, 4097} {
				for iteration := range uint64(3) {
					ours := alone(t, a, a.operations[1], "fresh", message, 0, iteration, iteration)
					theirs := alone(t, b, b.operations[1], "into", message, 0, iteration, iteration)
					if !bytes.Equal(ours, theirs) {
						t.Errorf("%s of %d bytes, iteration %d: %x, go has %x", a.name, message, iteration, ours, theirs)
					}
				}
			}
		}
	}
}
