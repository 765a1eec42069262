package main

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// The values were computed with Python's hashlib.
func TestStream(t *testing.T) {
	sum := sha256.Sum256(stream("message", 42, 20000))
	for _, c := range []struct{ name, got, want string }{
		{"several periods", hex.EncodeToString(sum[:]), "b14b5f3cf010961ff61170a66b4c07a16c4e254254c2e4df4c70816faccadcbb"},
		{"largest seed", hex.EncodeToString(stream("key", maxNumber, 16)), "9f02d2b5432b7d09959cf46746f1d135"},
		{"part of a hash", hex.EncodeToString(stream("nonce", 42, 5)), "41210381a9"},
		{"nothing", hex.EncodeToString(stream("aad", 42, 0)), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}
