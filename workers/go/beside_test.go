package main

import (
	"runtime"
	"testing"
)

func TestReadingSince(t *testing.T) {
	before := reading{1000, 3000, 10, 8}
	if cycles, instructions, known := (reading{5000, 9000, 12, 10}).since(before); cycles != 4000 || instructions != 6000 || !known {
		t.Errorf("%d cycles, %d instructions, known: %v", cycles, instructions, known)
	}
	if _, _, known := (reading{5000, 9000, 12, 9}).since(before); known {
		t.Error("counters that another program had meanwhile count nothing")
	}
	if _, _, known := (reading{1000, 3000, 12, 10}).since(before); known {
		t.Error("a counter that stands still counts nothing")
	}
}

func TestWatch(t *testing.T) {
	b := watch(threadCounters(), func() {
		runtime.GC()
		pages := make([]byte, 64<<20)
		for i := 0; i < len(pages); i += 4096 {
			pages[i] = 1
		}
		runtime.KeepAlive(pages)
	})
	if b.collections == 0 || b.faultsKnown && b.faults == 0 {
		t.Errorf("%+v", b)
	}
}
