//go:build unix

package main

import "golang.org/x/sys/unix"

func mapMemory(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

func unmapMemory(memory []byte) {
	_ = unix.Munmap(memory) // can fail only for memory that Mmap did not return
}
