package main

// The providers that this worker hosts, and what an offer contains.

import (
	"crypto/aes"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// provider is a library, or Go's own together with x/crypto.
type provider struct {
	name string
	// load lists what the provider offers, with the code paths of this CPU, or
	// returns why it cannot be measured here.
	load func() ([]algorithm, error)
}

// providers are those linked into this program; tink.go adds its own.
var providers = []provider{{"go", goAlgorithms}}

// box is the measured part of cipher.AEAD. Types with other methods, such as
// bare ciphers, are adapted to it: Seal encrypts, Open decrypts, and the aad is
// ignored where there is none.
type box interface {
	Seal(dst, nonce, plaintext, aad []byte) []byte
	Open(dst, nonce, ciphertext, aad []byte) ([]byte, error)
}

// errRejected is a bad tag, bad padding or an input too short to have one.
var errRejected = errors.New("the input is rejected")

// algorithm is one that a provider offers.
type algorithm struct {
	provider, name    string
	version, path     string
	operations, forms []string
	key, nonce        int  // sizes in bytes
	anyNonce          bool // the library takes nonces of other sizes too
	zeroNonce         bool // the nonce from byte 8 on is zero, not the stream's
	sectors           bool // messages are whole blocks, the nonce is a sector's number
	drawsNonce        bool // the library draws the nonce itself when sealing, and opens nonce ‖ ciphertext
	setupInside       bool // the library cannot separate setting up the key

	// newBox sets up the key, for nonces of the size given.
	newBox func(key []byte, nonce int) (box, error)
	// expand is what key-setup times, the library's own constructors alone; nil
	// where there is none.
	expand func(key []byte) (any, error)
}

// refuse is why a sector can't have so many bytes; nil of other algorithms.
func (a *algorithm) refuse(message uint64) error {
	if !a.sectors || message > 0 && message%aes.BlockSize == 0 {
		return nil
	}
	return unsupported(fmt.Sprintf("%d bytes; a sector of %s has whole blocks of 16 bytes", message, a.name))
}

// absence is a provider that cannot be measured here, and the reason.
type absence struct {
	provider string
	why      error
}

// load loads the named providers, or all without names: a harness that measures
// one starts a separate process for it.
func (w *worker) load(names []string) error {
	var here []string
	for _, p := range providers {
		here = append(here, p.name)
	}
	for _, name := range names {
		if !slices.Contains(here, name) {
			return fmt.Errorf("no provider %q in this program; name one of %s, or none for all", name, strings.Join(here, ", "))
		}
	}
	for _, p := range providers {
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		offers, err := p.load()
		if err != nil {
			w.absent = append(w.absent, absence{p.name, err})
			continue
		}
		for _, a := range offers {
			a.provider = p.name
			w.offers = append(w.offers, a)
		}
	}
	return nil
}

// goVersion is the version of Go and of its standard library.
func goVersion() string {
	return strings.TrimPrefix(runtime.Version(), "go")
}

// moduleVersion is the version of a module linked into this binary.
func moduleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == path {
				if module.Replace != nil {
					module = module.Replace
				}
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}
