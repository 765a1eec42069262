package main

// The layout of a sample: where its stack, its buffers and its key lie. What a
// caller's program decides by chance must not decide a figure.

import "runtime"

const maxInstances = 8

// layout is what a sample asks for: bytes, and the number of a key's object.
type layout struct {
	stack, offset, nonce, instance uint64
}

// readLayout reads all of a layout, or says that there is none.
func readLayout(r *request) (l layout, there bool) {
	if r.values["stack"] == nil {
		return l, false
	}
	l.stack = r.number("stack", 0, 1023)
	l.offset = r.number("offset", 0, page-1)
	l.nonce = r.number("nonce", 0, page-1)
	l.instance = r.number("instance", 0, maxInstances-1)
	if l.stack%16 != 0 || l.nonce%16 != 0 {
		r.fail("the keys \"stack\" and \"nonce\" are not multiples of 16; send such")
	}
	return l, true
}

// below calls f under depth frames of its own, each of which moves the stack
// by the same number of bytes: an odd multiple of 16 on amd64, so that 64
// depths are 64 positions in 1024 bytes. Go has no other way to move it.
//
//go:noinline
func below(depth uint64, f func()) {
	var pad [16]byte
	if depth == 0 {
		f()
	} else {
		below(depth-1, f)
	}
	runtime.KeepAlive(&pad)
}
