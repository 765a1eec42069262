package main

// A prepared cell: its parameters, the memory that it needs, and the set-up of
// its buffers in an arena before each sample.

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

type cell struct {
	algorithm       algorithm
	operation, form string
	message, aad    uint64 // bytes
	instances       uint64 // how many boxes are made; 0 is 1
	rotation               // the texts and keys that calls go round
	seed, offset    uint64
	nonceAt         uint64 // where the nonce lies in its page
	depth           uint64 // how many frames lie below the sample's
	thread          int    // which one of several this is
	pool            *pool  // the threads, nil where there is one
	box             box    // nil for key-setup; one of boxes
	boxes           []box  // objects of the same key, each elsewhere in the heap
	between         [][]byte
	plain, aadText  []byte // the blocks that fill message and aad
	last            uint64 // the number of the last iteration; 0 is digest's
}

// setUp creates what the samples of a cell share.
func (c *cell) setUp() (err error) {
	if c.operation == "key-setup" {
		return nil
	}
	c.plain = seedBlock("message", c.seed, int(c.message))
	c.aadText = seedBlock("aad", c.seed, int(c.aad))
	if c.rotates() {
		return c.setUpKeys()
	}
	for range max(1, c.instances) {
		box, err := c.algorithm.newBox(c.key(), c.algorithm.nonce)
		if err != nil {
			return err
		}
		c.boxes = append(c.boxes, box)
		c.between = append(c.between, make([]byte, 1+rand.IntN(1024)))
	}
	c.box = c.boxes[0]
	return nil
}

// moveTo has the stack, the buffers and the key lie there from now on.
func (c *cell) moveTo(l layout) {
	c.depth, c.offset, c.nonceAt = l.stack/16, l.offset, l.nonce
	if len(c.boxes) > 0 && !c.rotates() {
		c.box = c.boxes[l.instance%uint64(len(c.boxes))]
	}
}

// key is the raw key; threads differ in their keys alone.
func (c *cell) key() []byte {
	label := "key"
	if c.thread > 0 {
		label = fmt.Sprintf("key %d", c.thread)
	}
	return stream(label, c.seed, c.algorithm.key)
}

// parts are the cell's parts, one for each of its threads.
func (c *cell) parts() []*cell {
	if c.pool == nil {
		return []*cell{c}
	}
	parts := make([]*cell, len(c.pool.members))
	for t, m := range c.pool.members {
		parts[t] = m.part
	}
	return parts
}

func (c *cell) opens() bool {
	return c.operation == "open" || c.operation == "decrypt"
}

// chains says whether an iteration works on the output of the one before it.
func (c *cell) chains() bool {
	return c.form == "in-place" && !c.opens() && c.operation != "key-setup"
}

// draws says whether the timed calls draw nonces.
func (c *cell) draws() bool {
	return c.algorithm.drawsNonce && !c.opens() && c.operation != "key-setup"
}

// pairs says whether the cell needs a second buffer of the message's size.
func (c *cell) pairs() bool {
	return c.opens() || c.form == "into"
}

// size is the memory that the cell takes of an arena, in bytes.
func (c *cell) size() uint64 {
	if c.operation == "key-setup" {
		return 0
	}
	// A page for the nonce, and one by which an offset moves the rest.
	size := 2*page + roundUp(c.rotation.size(c.message)) + roundUp(c.aad)
	if c.pairs() {
		size += roundUp(c.rotation.size(c.message))
	}
	return size
}

// need is the most memory that the cell may take with that many threads, in
// bytes: the arena, one thread's buffers again for a recomputed digest, and for
// `fresh` some outputs that the garbage collector has not freed yet.
func (c *cell) need(threads uint64) uint64 {
	need := threads*c.stride() + c.size() + c.keys<<10
	if c.form == "fresh" && c.operation != "key-setup" {
		need += threads * 3 * c.message
	}
	return need
}

// nonceOf is the nonce of an iteration, in a buffer of at least the 8 bytes of
// the number.
func (c *cell) nonceOf(iteration uint64) []byte {
	nonce := make([]byte, max(8, c.algorithm.nonce))
	if !c.algorithm.zeroNonce && !c.algorithm.sectors {
		copy(nonce, stream("nonce", c.seed, c.algorithm.nonce))
	}
	setNumber(nonce, iteration, c.algorithm.sectors)
	return nonce
}

// arm sets up the cell's buffers in memory and returns what is to be timed.
func (c *cell) arm(memory []byte) call {
	if c.operation == "key-setup" {
		return &keySetupCall{expand: c.algorithm.expand, key: c.key()}
	}
	carver := carver{memory[page:], c.offset}
	first := carver.cut(c.rotation.size(c.message))
	var second []byte
	if c.pairs() {
		second = carver.cut(c.rotation.size(c.message))
	}
	aad := carver.cut(c.aad)
	fill(aad, c.aadText)
	number := memory[c.nonceAt:][:max(8, c.algorithm.nonce)]
	copy(number, c.nonceOf(0))
	nonce := number[:c.algorithm.nonce]
	if c.rotates() {
		return c.armRound(first, second, number, nonce, aad)
	}
	plain := first[:c.message]
	fill(plain, c.plain)

	// Whatever may contain an older output is cleared, so that it cannot pass for
	// this one.
	if !c.opens() {
		clear(second)
		seal := sealCall{box: c.box, sector: c.algorithm.sectors, number: number, nonce: nonce, aad: aad, src: plain}
		seal.dst = c.destination(first, second)
		return &seal
	}
	sealed := c.sealed(second[:0], nonce, plain, aad)
	clear(first)
	open := openCall{box: c.box, nonce: nonce, aad: aad, src: sealed}
	open.dst = c.destination(first, first)
	if c.form == "in-place" {
		open.sealed, open.src = sealed, first[:len(sealed)]
	}
	return &open
}

// drawing is locked by a seal that draws its nonce while other threads may,
// too.
var drawing sync.Mutex

// sealed puts the input of open into dst, which has room for it.
func (c *cell) sealed(dst, nonce, plain, aad []byte) []byte {
	if !c.algorithm.drawsNonce {
		return append(dst, c.box.Seal(dst, nonce, plain, aad)...) // onto itself where the library wrote to dst
	}
	drawing.Lock()
	defer drawing.Unlock()
	return append(append(dst, nonce...), c.box.Seal(nil, nonce, plain, aad)...)
}

// destination is where the library appends its output; nil makes it allocate.
func (c *cell) destination(same, other []byte) []byte {
	switch c.form {
	case "in-place":
		return same[:0]
	case "into":
		return other[:0]
	}
	return nil
}
