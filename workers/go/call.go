package main

// The timed calls: one type for each kind of operation, with all that an
// iteration needs, so that the timed loop itself neither looks anything up nor
// allocates.

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
)

// call is what a sample repeats.
type call interface {
	// iterate does iteration i and returns the library's error.
	iterate(i uint64) error
	// output is the output of the last iteration, nil for key-setup.
	output() []byte
}

// repeat does count iterations from first on: the timed loop.
//
//go:noinline
func repeat(c call, first, count uint64) error {
	for i := first; i < first+count; i++ {
		if err := c.iterate(i); err != nil {
			return fmt.Errorf("iteration %d: %w", i, err)
		}
	}
	return nil
}

// errLength is that of a call whose output is not as long as that of the call
// before. The last one's is confirmed by its digest.
var errLength = errors.New("the library gave outputs of two lengths")

// setNumber numbers a nonce or a key, or the sector of a disk's cipher.
func setNumber(number []byte, iteration uint64, sector bool) {
	if sector {
		binary.LittleEndian.PutUint64(number, iteration)
		return
	}
	binary.BigEndian.PutUint64(number, iteration)
}

// sealCall seals or encrypts src, in any form, which dst determines.
type sealCall struct {
	box           box
	sector        bool
	number, nonce []byte // one buffer; number is its first 8 bytes or more, nonce what the cipher takes
	aad, src, dst []byte
	out           []byte
}

func (c *sealCall) iterate(i uint64) error {
	setNumber(c.number, i, c.sector)
	out := c.box.Seal(c.dst, c.nonce, c.src, c.aad)
	if c.out != nil && len(out) != len(c.out) {
		return errLength
	}
	c.out = out
	return nil
}

func (c *sealCall) output() []byte { return c.out }

// openCall opens or decrypts src, in place after copying sealed back over it.
type openCall struct {
	box        box
	nonce, aad []byte
	sealed     []byte // nil but for in-place
	src, dst   []byte
	out        []byte
}

func (c *openCall) iterate(uint64) error {
	copy(c.src, c.sealed)
	out, err := c.box.Open(c.dst, c.nonce, c.src, c.aad)
	if c.out != nil && err == nil && len(out) != len(c.out) {
		err = errLength
	}
	c.out = out
	return err
}

func (c *openCall) output() []byte { return c.out }

// keySetupCall makes an object from another key each time. The garbage
// collector releases it, partly within the timed loop.
type keySetupCall struct {
	expand func(key []byte) (any, error)
	key    []byte
	made   any // kept, so that the compiler cannot omit the construction
}

func (c *keySetupCall) iterate(i uint64) (err error) {
	setNumber(c.key, i, false)
	c.made, err = c.expand(c.key)
	return err
}

func (c *keySetupCall) output() []byte { return nil }

var _ box = cipher.AEAD(nil)
