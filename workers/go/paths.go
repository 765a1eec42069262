package main

// The code path that each library takes on this CPU. Go doesn't tell, so the
// conditions are those of its sources: crypto/internal/fips140/aes,
// .../aes/gcm, .../subtle, and x/crypto's chacha20 and chacha20poly1305.
// GODEBUG=cpu.<feature>=off is honoured by the libraries and by x/sys/cpu alike.

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// byCPU picks the path of this architecture; the others have code of their own
// that these conditions don't describe.
func byCPU(amd64, arm64 string) string {
	switch runtime.GOARCH {
	case "amd64":
		return amd64
	case "arm64":
		return arm64
	}
	return "unknown"
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// aesPath is that of CTR and CBC.
func aesPath() string {
	return byCPU(
		either(cpu.X86.HasAES && cpu.X86.HasSSE41 && cpu.X86.HasSSSE3, "aesni", "soft"),
		either(cpu.ARM64.HasAES, "armv8-aes", "soft"))
}

// gcmPath: without carry-less multiplication GHASH is soft, while CTR may keep
// the AES instructions.
func gcmPath() string {
	multiplies := cpu.X86.HasPCLMULQDQ || cpu.ARM64.HasPMULL
	aes := aesPath()
	if multiplies || aes == "soft" || aes == "unknown" {
		return aes
	}
	return aes + "+soft"
}

// chachaPolyPath: on arm64 ChaCha20 is in NEON and Poly1305 in plain Go.
func chachaPolyPath() string {
	sse := either(cpu.X86.HasSSSE3, "ssse3", "soft")
	return byCPU(either(cpu.X86.HasSSSE3 && cpu.X86.HasAVX2 && cpu.X86.HasBMI2, "avx2", sse), "neon")
}

// chachaPath: x/crypto has no assembly of bare ChaCha20 for amd64.
func chachaPath() string { return byCPU("soft", "neon") }

// xorPath: SSE2 and NEON belong to every amd64 and arm64.
func xorPath() string { return byCPU("sse2", "neon") }
