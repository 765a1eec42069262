package main

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"
)

func newGo(algorithm string) (cipher.AEAD, error) {
	switch algorithm {
	case "aes-128-gcm", "aes-256-gcm":
		key := make([]byte, 32)
		if algorithm == "aes-128-gcm" {
			key = key[:16]
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		return cipher.NewGCM(block)
	case "chacha20-poly1305":
		return chacha20poly1305.New(make([]byte, 32))
	case "xchacha20-poly1305":
		return chacha20poly1305.NewX(make([]byte, 32))
	}
	return nil, unknown("algorithm", algorithm)
}

func prepareGo(algorithm, operation, form string, message []byte) (loop, error) {
	aead, err := newGo(algorithm)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	sealed := aead.Seal(nil, nonce, message, nil)
	var counter uint64
	var dst []byte // nil: the library allocates
	switch form {
	case "in-place":
		dst = message[:0]
	case "into":
		dst = make([]byte, 0, len(sealed))
	case "fresh":
	default:
		return nil, unknown("form", form)
	}
	switch operation {
	case "seal":
		return func(count uint64) error {
			for range count {
				counter++
				binary.BigEndian.PutUint64(nonce, counter)
				sink = aead.Seal(dst, nonce, message, nil)
			}
			return nil
		}, nil
	case "open":
		if form != "in-place" {
			return func(count uint64) (err error) {
				for range count {
					if sink, err = aead.Open(dst, nonce, sealed, nil); err != nil {
						return err
					}
				}
				return nil
			}, nil
		}
		buffer := make([]byte, len(sealed))
		return func(count uint64) (err error) {
			for range count {
				copy(buffer, sealed)
				if sink, err = aead.Open(buffer[:0], nonce, buffer, nil); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}
	return nil, unknown("operation", operation)
}
