package main

import (
	"strings"
	"testing"
)

func TestEveryLoopRuns(t *testing.T) {
	for what, forms := range map[string]string{
		"go aes-128-gcm":             "in-place into fresh",
		"go aes-256-gcm":             "in-place into fresh",
		"go chacha20-poly1305":       "in-place into fresh",
		"go xchacha20-poly1305":      "in-place into fresh",
		"tink-go aes-128-gcm":        "fresh",
		"tink-go aes-256-gcm":        "fresh",
		"tink-go aes-256-gcm-siv":    "fresh",
		"tink-go aes-256-siv":        "fresh",
		"tink-go chacha20-poly1305":  "fresh",
		"tink-go xchacha20-poly1305": "fresh",
	} {
		for _, operation := range []string{"seal", "open"} {
			for form := range strings.FieldsSeq(forms) {
				run, err := prepare(append(strings.Fields(what), operation, form, "100"))
				if err != nil {
					t.Fatal(err)
				}
				if err := run(3); err != nil {
					t.Errorf("%s %s %s: %v", what, operation, form, err)
				}
			}
		}
	}
}

func TestTheUnknownIsRefused(t *testing.T) {
	for _, args := range []string{
		"", "go aes-256-gcm seal into", "go aes-256-gcm seal into 1 2", "go aes-256-gcm seal into x",
		"none aes-256-gcm seal into 1", "go none seal into 1", "go aes-256-gcm none into 1", "go aes-256-gcm open none 1",
		"tink-go none seal fresh 1", "tink-go aes-256-gcm none fresh 1", "tink-go aes-256-gcm seal into 1",
	} {
		if _, err := prepare(strings.Fields(args)); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
