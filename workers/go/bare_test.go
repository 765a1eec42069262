package main

import (
	"bytes"
	"crypto/aes"
	"testing"
)

func TestPaddingComesOffAsItWentOn(t *testing.T) {
	for n := range aes.BlockSize {
		var last [aes.BlockSize]byte
		tail := stream("message", 1, n)
		pad(&last, tail)
		got, err := unpad(last[:])
		if err != nil || !bytes.Equal(got, tail) {
			t.Errorf("%d bytes: %x, %v", n, got, err)
		}
	}
}

// A block is valid exactly if its last byte, as a number, counts the equal
// bytes at its end.
func TestUnpadRejectsTheRest(t *testing.T) {
	for n := range 256 {
		for wrong := range aes.BlockSize {
			var block [aes.BlockSize]byte
			for i := range block {
				block[i] = byte(n)
			}
			block[wrong] ^= 0x80
			claimed := int(block[aes.BlockSize-1])
			good := claimed >= 1 && claimed <= aes.BlockSize &&
				bytes.HasSuffix(block[:], bytes.Repeat(block[aes.BlockSize-1:], claimed))
			if _, err := unpad(block[:]); (err == nil) != good {
				t.Errorf("%x: %v", block, err)
			}
		}
	}
}

func TestXORRepeatsTheKey(t *testing.T) {
	key, src := stream("key", 1, 32), stream("message", 1, 3*page+7)
	box, err := newXOR(key, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := box.Seal(make([]byte, 0, len(src)), nil, src, nil)
	for i := range src {
		if got[i] != src[i]^key[i%32] {
			t.Fatalf("byte %d is wrong", i)
		}
	}
}
