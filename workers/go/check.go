package main

// check: one vector, in separate buffers.

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

func (w *worker) check(r *request) ([]byte, error) {
	a, operation, form, missing := w.find(r)
	key, input := r.bytes("key", r.text("key")), r.bytes("input", r.text("input"))
	nonce, aad := r.bytes("nonce", r.textOr("nonce", "")), r.bytes("aad", r.textOr("aad", ""))
	if len(input) > maxInput {
		r.fail("an input of %d bytes; send at most %d", len(input), maxInput)
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case missing != nil:
		return nil, missing
	case operation == "key-setup":
		return nil, unsupported("key-setup cannot be checked")
	case len(key) != a.key:
		return nil, unsupported(fmt.Sprintf("key of %d bytes; %s takes %d", len(key), a.name, a.key))
	case len(nonce) != a.nonce && !a.anyNonce:
		return nil, unsupported(fmt.Sprintf("nonce of %d bytes; %s takes %d", len(nonce), a.name, a.nonce))
	}
	if err := a.refuse(uint64(len(input))); err != nil {
		return nil, err
	}
	if a.sectors && binary.LittleEndian.Uint64(nonce[8:]) != 0 {
		return nil, unsupported(fmt.Sprintf("%s takes a sector's number of 64 bits, no wider tweak", a.provider))
	}
	box, err := a.newBox(key, len(nonce))
	if err != nil {
		return nil, unsupported(err.Error())
	}

	seals := operation == "seal" || operation == "encrypt"
	same := make([]byte, 0, len(input)+room)
	if a.drawsNonce && !seals {
		same = append(same, nonce...)
	}
	same = append(same, input...)
	c := cell{form: form}
	dst := c.destination(same, make([]byte, 0, len(input)+room))
	if seals {
		return outputOf(box.Seal(dst, nonce, same, aad)), nil
	}
	output, err := box.Open(dst, nonce, same, aad)
	if err != nil {
		return nil, errRejected // sizes are checked above: only the input can be wrong
	}
	return outputOf(output), nil
}

func outputOf(output []byte) []byte {
	return is("output").text("output", hex.EncodeToString(output)).end()
}
