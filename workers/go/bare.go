package main

// Bare ciphers with the methods of a box. dst has length 0 and the capacity for
// the whole output; it is the input's own buffer or separate from it.

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/xts"
)

type ctrBox struct{ block cipher.Block }

func newCTR(key []byte, _ int) (box, error) {
	block, err := aes.NewCipher(key)
	return &ctrBox{block}, err
}

// Seal makes a new Stream for each message, since Go cannot give an existing
// one another nonce: the allocation is part of the cost.
func (c *ctrBox) Seal(dst, nonce, src, _ []byte) []byte {
	dst = dst[:len(src)]
	cipher.NewCTR(c.block, nonce).XORKeyStream(dst, src)
	return dst
}

func (c *ctrBox) Open(dst, nonce, src, _ []byte) ([]byte, error) {
	return c.Seal(dst, nonce, src, nil), nil
}

type chachaBox struct{ key []byte }

func newChaCha(key []byte, _ int) (box, error) {
	return &chachaBox{key}, nil
}

// Seal encrypts. The library fails only for wrong sizes of key and nonce, which
// are checked; a panic here is answered with an error line.
func (c *chachaBox) Seal(dst, nonce, src, _ []byte) []byte {
	out, err := c.Open(dst, nonce, src, nil)
	if err != nil {
		panic(err)
	}
	return out
}

func (c *chachaBox) Open(dst, nonce, src, _ []byte) ([]byte, error) {
	stream, err := chacha20.NewUnauthenticatedCipher(c.key, nonce)
	if err != nil {
		return nil, err
	}
	dst = dst[:len(src)]
	stream.XORKeyStream(dst, src)
	return dst, nil
}

// xtsBox takes the number of a sector; the library makes the tweak of it.
type xtsBox struct{ cipher *xts.Cipher }

func newXTS(key []byte, _ int) (box, error) {
	cipher, err := xts.NewCipher(aes.NewCipher, key)
	return &xtsBox{cipher}, err
}

func (x *xtsBox) Seal(dst, nonce, src, _ []byte) []byte {
	dst = dst[:len(src)]
	x.cipher.Encrypt(dst, src, binary.LittleEndian.Uint64(nonce))
	return dst
}

func (x *xtsBox) Open(dst, nonce, src, _ []byte) ([]byte, error) {
	dst = dst[:len(src)]
	x.cipher.Decrypt(dst, src, binary.LittleEndian.Uint64(nonce))
	return dst, nil
}

type cbcBox struct {
	block cipher.Block
	last  [aes.BlockSize]byte // here, not in Seal, where it would be allocated each time
}

func newCBC(key []byte, _ int) (box, error) {
	block, err := aes.NewCipher(key)
	return &cbcBox{block: block}, err
}

// Seal pads with PKCS#7 (RFC 5652, section 6.3) outside src, which `into` must
// not change.
func (c *cbcBox) Seal(dst, nonce, src, _ []byte) []byte {
	whole := len(src) / aes.BlockSize * aes.BlockSize
	pad(&c.last, src[whole:])
	dst = dst[:whole+aes.BlockSize]
	mode := cipher.NewCBCEncrypter(c.block, nonce)
	mode.CryptBlocks(dst[:whole], src[:whole])
	mode.CryptBlocks(dst[whole:], c.last[:])
	return dst
}

func (c *cbcBox) Open(dst, nonce, src, _ []byte) ([]byte, error) {
	if len(src) == 0 || len(src)%aes.BlockSize != 0 {
		return nil, errRejected
	}
	dst = dst[:len(src)]
	cipher.NewCBCDecrypter(c.block, nonce).CryptBlocks(dst, src)
	return unpad(dst)
}

// pad makes the last block from tail, which is shorter than a block.
func pad(last *[aes.BlockSize]byte, tail []byte) {
	n := copy(last[:], tail)
	for i := n; i < len(last); i++ {
		last[i] = byte(len(last) - n)
	}
}

// unpad removes the padding, in a time that does not depend on its content.
// padded is at least one whole block.
func unpad(padded []byte) ([]byte, error) {
	n := int(padded[len(padded)-1])
	good := subtle.ConstantTimeLessOrEq(1, n) & subtle.ConstantTimeLessOrEq(n, aes.BlockSize)
	for i := 1; i <= aes.BlockSize; i++ {
		inside := subtle.ConstantTimeLessOrEq(i, n)
		equal := subtle.ConstantTimeByteEq(padded[len(padded)-i], byte(n))
		good &= equal | (1 - inside)
	}
	if good != 1 {
		return nil, errRejected
	}
	return padded[:len(padded)-n], nil
}

// xorBox contains the key repeated over a page, a multiple of every key size
// here and of every vector: XORBytes then runs at its full width.
type xorBox struct{ pattern []byte }

func newXOR(key []byte, _ int) (box, error) {
	pattern := make([]byte, page)
	fill(pattern, key)
	return &xorBox{pattern}, nil
}

func (x *xorBox) Seal(dst, _, src, _ []byte) []byte {
	dst = dst[:len(src)]
	for done := 0; done < len(src); {
		done += subtle.XORBytes(dst[done:], src[done:], x.pattern)
	}
	return dst
}

func (x *xorBox) Open(dst, nonce, src, _ []byte) ([]byte, error) {
	return x.Seal(dst, nonce, src, nil), nil
}
