package main

// Cells whose calls go round several texts and keys, as a server's do: text and
// key of a call were last touched a whole round ago.

import "math/rand/v2"

const (
	maxTexts = 1 << 20
	maxKeys  = 1 << 16
	lineSize = 64 // bytes of a cache line, to which texts are aligned
)

// rotation is how many texts and keys there are: iteration i works on text
// i mod texts under key i mod keys.
type rotation struct {
	texts, keys uint64
	places      []uint64 // where each text begins in its buffer
	stride      uint64   // bytes from one text to the next
}

// newRotation puts the texts in an order of chance: what lies behind a text is
// not what the next call works on, so no CPU can fetch it beforehand.
func newRotation(texts, keys, message uint64, a algorithm) rotation {
	beside := uint64(16) // a tag, or the padding of CBC
	if a.drawsNonce {
		beside = room
	}
	r := rotation{texts: texts, keys: keys, places: make([]uint64, texts)}
	r.stride = (message + beside + lineSize - 1) / lineSize * lineSize
	for i, place := range rand.Perm(int(texts)) {
		r.places[i] = uint64(place) * r.stride
	}
	return r
}

// rotates says whether calls go round anything.
func (r rotation) rotates() bool { return r.texts > 1 || r.keys > 1 }

// round is the number of calls after which each key has had its turn, 0 where
// there is one.
func (r rotation) round() uint64 {
	if r.keys <= 1 {
		return 0
	}
	return r.keys
}

// size is what all texts take of a buffer, in bytes.
func (r rotation) size(message uint64) uint64 {
	if r.texts <= 1 {
		return message + room
	}
	return r.texts * r.stride
}

// text is the part of a buffer that belongs to text i.
func (r rotation) text(buffer []byte, i uint64) []byte {
	at, end := r.places[i], r.places[i]+r.stride
	if r.texts <= 1 {
		end = uint64(len(buffer))
	}
	return buffer[at:end:end]
}

// setUpKeys makes a box for each key, in an order of chance.
func (c *cell) setUpKeys() error {
	c.boxes = make([]box, c.keys)
	for _, number := range rand.Perm(int(c.keys)) {
		part := *c
		part.thread = number // keys have the labels that threads have
		box, err := c.algorithm.newBox(part.key(), c.algorithm.nonce)
		if err != nil {
			return err
		}
		c.boxes[number] = box
		c.between = append(c.between, make([]byte, 1+rand.IntN(1024)))
	}
	return nil
}

// round is what the calls of a cell go round.
type round struct {
	cell          *cell
	first, second []byte
}

// take is the part of each buffer that belongs to iteration i's text, and its
// key's box.
func (r *round) take(i uint64) (first, second []byte, box box) {
	c := r.cell
	text := i % c.texts
	first = c.text(r.first, text)
	if r.second != nil {
		second = c.text(r.second, text)
	}
	return first, second, c.boxes[i%c.keys]
}

// sealRound goes round texts that are sealed or encrypted.
type sealRound struct {
	round
	sealCall
}

func (r *sealRound) iterate(i uint64) error {
	first, second, box := r.take(i)
	r.box, r.src, r.dst = box, first[:r.cell.message], r.cell.destination(first, second)
	return r.sealCall.iterate(i)
}

// openRound goes round texts that are opened or decrypted.
type openRound struct {
	round
	openCall
	size int // bytes of a sealed text
}

func (r *openRound) iterate(i uint64) error {
	first, second, box := r.take(i)
	r.box, r.src, r.dst = box, second[:r.size], r.cell.destination(first, first)
	if r.cell.form == "in-place" {
		r.sealed, r.src = r.src, first[:r.size]
	}
	return r.openCall.iterate(i)
}

// armRound sets up all texts of the cell, in the order in which the calls to
// come use them, so that each was touched exactly a round before its turn.
func (c *cell) armRound(first, second, number, nonce, aad []byte) call {
	buffers := round{cell: c, first: first, second: second}
	var sealed []byte
	for i := range c.texts {
		text, other, box := buffers.take(c.last + 1 + i)
		plain := text[:c.message]
		fill(plain, c.plain)
		if !c.opens() {
			clear(other)
			continue
		}
		c.box = box
		sealed = c.sealed(other[:0], nonce, plain, aad)
		clear(text)
	}
	if !c.opens() {
		return &sealRound{buffers, sealCall{sector: c.algorithm.sectors, number: number, nonce: nonce, aad: aad}}
	}
	return &openRound{buffers, openCall{nonce: nonce, aad: aad}, len(sealed)}
}
