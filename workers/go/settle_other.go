//go:build !linux

package main

// settle does nothing: there are no CPU masks here.
func settle(int) {}
