package main

import (
	"slices"
	"testing"
)

func TestBatchesDoubleAndEndSoonAfterTheTime(t *testing.T) {
	batches := func(ns, each uint64) (made []uint64) {
		for passed, batch := uint64(0), uint64(1); passed < ns; {
			made = append(made, batch)
			took := batch * each
			passed += took
			batch = nextBatch(batch, took, ns-min(ns, passed))
		}
		return made
	}
	if made := batches(100, 10); !slices.Equal(made, []uint64{1, 2, 4, 4}) {
		t.Errorf("batches of 10 ns calls in 100 ns: %v", made)
	}
	// With a clock too coarse for a call, batches still double.
	if batch := nextBatch(8, 0, 1000); batch != 16 {
		t.Errorf("after 8 calls in no time: %d", batch)
	}
}
