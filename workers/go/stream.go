package main

// The bytes that every worker derives in the same way from a label, a seed and
// a length, so that digests agree across languages. Source: PROTOCOL.md,
// "Seed".

import (
	"crypto/sha256"
	"fmt"
)

// period is a prime, so that no block size divides the repetition.
const period = 4093

// seedBlock is the part of a stream that is repeated: its first min(n, period)
// bytes.
func seedBlock(label string, seed uint64, n int) []byte {
	n = min(n, period)
	block := make([]byte, 0, n+sha256.Size)
	for i := 0; len(block) < n; i++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "ciphermeter %s %d %d", label, seed, i))
		block = append(block, sum[:]...)
	}
	return block[:n]
}

// fill repeats block over dst. A block shorter than dst is a whole period.
func fill(dst, block []byte) {
	// Every copy but the last ends at a multiple of the period, so doubling keeps it.
	for done := copy(dst, block); done < len(dst); {
		done += copy(dst[done:], dst[:done])
	}
}

// stream is n bytes of the stream of label and seed.
func stream(label string, seed uint64, n int) []byte {
	out := make([]byte, n)
	fill(out, seedBlock(label, seed, n))
	return out
}
