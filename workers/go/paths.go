package main

// The code path of each library on this CPU. Neither reports it, so the
// conditions are those of the sources: crypto/internal/fips140/aes,
// .../aes/gcm, .../subtle, x/crypto's chacha20 and chacha20poly1305, and Tink,
// which has no assembly of its own.
// GODEBUG=cpu.<feature>=off is honoured by the libraries and by x/sys/cpu alike.

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// byCPU picks the path of this architecture; other architectures have code of
// their own, which these conditions do not describe.
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
	if cpu.X86.HasPCLMULQDQ || cpu.ARM64.HasPMULL {
		return aesPath()
	}
	return softHash()
}

// softHash: AES by instruction where there is one, GHASH or POLYVAL in plain Go.
func softHash() string {
	aes := aesPath()
	if aes == "soft" || aes == "unknown" {
		return aes
	}
	return aes + "+soft"
}

// chachaPolyPath: with AVX2, amd64 has one routine for both; else ChaCha20 is in
// plain Go there. On arm64 ChaCha20 is in NEON and Poly1305 in plain Go.
func chachaPolyPath() string {
	return byCPU(either(cpu.X86.HasSSSE3 && cpu.X86.HasAVX2 && cpu.X86.HasBMI2, "avx2", "soft"), "neon")
}

// chachaPath: x/crypto has no assembly of bare ChaCha20 for amd64.
func chachaPath() string { return byCPU("soft", "neon") }

// xorPath: SSE2 and NEON belong to every amd64 and arm64.
func xorPath() string { return byCPU("sse2", "neon") }
