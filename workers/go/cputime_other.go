//go:build !(darwin || dragonfly || freebsd || linux || openbsd)

package main

// cpuTime and threadCPUTime are unknown here.
func cpuTime() (ns uint64, known bool)       { return 0, false }
func threadCPUTime() (ns uint64, known bool) { return 0, false }
