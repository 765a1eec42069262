//go:build !linux

package main

type counters struct{}

// threadCounters: nothing counts here.
func threadCounters() *counters { return nil }

func (c *counters) read() (r reading, known bool) { return r, false }

func minorFaults() (count uint64, known bool) { return 0, false }
