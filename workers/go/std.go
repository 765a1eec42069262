package main

// The provider "go": the standard library and golang.org/x/crypto.

import (
	"crypto/aes"
	"crypto/cipher"

	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/xts"
)

func goAlgorithms() ([]algorithm, error) {
	std := goVersion()
	x := std + ", x/crypto " + moduleVersion("golang.org/x/crypto")
	aead := algorithm{
		operations: []string{"key-setup", "seal", "open"},
		forms:      []string{"in-place", "into", "fresh"},
		nonce:      12,
	}
	bare := algorithm{
		operations: []string{"key-setup", "encrypt", "decrypt"},
		forms:      []string{"in-place", "into"},
		key:        32,
		nonce:      16,
	}

	gcm := aead
	gcm.version, gcm.path, gcm.anyNonce, gcm.newBox = std, gcmPath(), true, newGCM
	gcm.expand = func(key []byte) (any, error) { return newGCM(key, gcm.nonce) }
	gcm128, gcm256 := gcm, gcm
	gcm128.name, gcm128.key = "aes-128-gcm", 16
	gcm256.name, gcm256.key = "aes-256-gcm", 32

	poly := aead
	poly.name, poly.key, poly.version, poly.path = "chacha20-poly1305", 32, x, chachaPolyPath()
	poly.newBox = func(key []byte, _ int) (box, error) { return chacha20poly1305.New(key) }
	poly.expand = func(key []byte) (any, error) { return chacha20poly1305.New(key) }
	xpoly := poly
	xpoly.name, xpoly.nonce = "xchacha20-poly1305", chacha20poly1305.NonceSizeX
	xpoly.newBox = func(key []byte, _ int) (box, error) { return chacha20poly1305.NewX(key) }
	xpoly.expand = func(key []byte) (any, error) { return chacha20poly1305.NewX(key) }

	ctr := bare
	ctr.name, ctr.version, ctr.path, ctr.zeroNonce, ctr.newBox = "aes-256-ctr", std, aesPath(), true, newCTR
	ctr.expand = func(key []byte) (any, error) { return aes.NewCipher(key) }
	cbc := bare
	cbc.name, cbc.version, cbc.path, cbc.newBox = "aes-256-cbc", std, aesPath(), newCBC
	cbc.expand = ctr.expand

	sector := bare
	sector.version, sector.path, sector.sectors, sector.newBox = x, aesPath(), true, newXTS
	sector.expand = func(key []byte) (any, error) { return xts.NewCipher(aes.NewCipher, key) }
	xts128, xts256 := sector, sector
	xts128.name, xts128.key = "aes-128-xts", 32
	xts256.name, xts256.key = "aes-256-xts", 64

	// chacha20.NewUnauthenticatedCipher takes key and nonce together.
	chacha := bare
	chacha.name, chacha.version, chacha.path, chacha.nonce = "chacha20", x, chachaPath(), 12
	chacha.newBox, chacha.setupInside, chacha.operations = newChaCha, true, bare.operations[1:]
	xor := bare
	xor.name, xor.version, xor.path, xor.nonce = "xor", std, xorPath(), 0
	xor.newBox, xor.operations = newXOR, bare.operations[1:]

	return []algorithm{gcm128, gcm256, poly, xpoly, ctr, cbc, xts128, xts256, chacha, xor}, nil
}

func newGCM(key []byte, nonce int) (box, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	if nonce == 12 {
		return cipher.NewGCM(block)
	}
	return cipher.NewGCMWithNonceSize(block, nonce)
}
