//go:build !linux

package main

import "runtime"

// yield gives the CPU to another goroutine that waits for it.
func yield() { runtime.Gosched() }
