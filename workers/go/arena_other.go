//go:build !unix

package main

import "unsafe"

// mapMemory takes the arena from Go's heap where there is no mmap.
func mapMemory(size int) ([]byte, error) {
	memory := make([]byte, size+page)
	skip := -uintptr(unsafe.Pointer(&memory[0])) % page
	return memory[skip : int(skip)+size], nil
}

func unmapMemory([]byte) {} // the garbage collector's
