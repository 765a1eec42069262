package main

import (
	"strings"
	"testing"
)

func TestEveryLoopRuns(t *testing.T) {
	for _, algorithm := range []string{"aes-256-gcm", "chacha20-poly1305"} {
		seal, err := prepare([]string{algorithm, "in-place", "100"})
		if err != nil {
			t.Fatal(err)
		}
		if seal(3); len(sink) != 116 {
			t.Errorf("%s: %d bytes", algorithm, len(sink))
		}
	}
}

func TestTheUnknownIsRefused(t *testing.T) {
	for _, args := range []string{
		"", "aes-256-gcm in-place", "aes-256-gcm in-place 1 2", "aes-256-gcm in-place x", "none in-place 1",
		"aes-256-gcm none 1",
	} {
		if _, err := prepare(strings.Fields(args)); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
