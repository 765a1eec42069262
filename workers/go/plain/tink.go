package main

import (
	aead "github.com/tink-crypto/tink-go/v2/aead/subtle"
	daead "github.com/tink-crypto/tink-go/v2/daead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// deterministic gives AES-SIV the methods of the others.
type deterministic struct{ tink.DeterministicAEAD }

func (d deterministic) Encrypt(plaintext, aad []byte) ([]byte, error) {
	return d.EncryptDeterministically(plaintext, aad)
}

func (d deterministic) Decrypt(ciphertext, aad []byte) ([]byte, error) {
	return d.DecryptDeterministically(ciphertext, aad)
}

func newTink(algorithm string) (tink.AEAD, error) {
	key := make([]byte, 32)
	switch algorithm {
	case "aes-128-gcm":
		return aead.NewAESGCM(key[:16])
	case "aes-256-gcm":
		return aead.NewAESGCM(key)
	case "aes-256-gcm-siv":
		return aead.NewAESGCMSIV(key)
	case "chacha20-poly1305":
		return aead.NewChaCha20Poly1305(key)
	case "xchacha20-poly1305":
		return aead.NewXChaCha20Poly1305(key)
	case "aes-256-siv":
		siv, err := daead.NewAESSIV(make([]byte, daead.AESSIVKeySize))
		return deterministic{siv}, err
	}
	return nil, unknown("algorithm", algorithm)
}

// prepareTink leaves the nonces to Tink, as its users must: sealing draws real
// randomness here, but not in the worker.
func prepareTink(algorithm, operation, form string, message []byte) (loop, error) {
	aead, err := newTink(algorithm)
	if err != nil {
		return nil, err
	}
	sealed, err := aead.Encrypt(message, nil)
	if err != nil {
		return nil, err
	}
	if form != "fresh" {
		return nil, unknown("form", form)
	}
	do, input := aead.Encrypt, message
	switch operation {
	case "seal":
	case "open":
		do, input = aead.Decrypt, sealed
	default:
		return nil, unknown("operation", operation)
	}
	return func(count uint64) (err error) {
		for range count {
			if sink, err = do(input, nil); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
