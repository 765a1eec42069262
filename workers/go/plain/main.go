// Command plain times the same calls as the worker, as an ordinary user of Go's
// own library would write it: key, nonce and message once, then a loop. It shares
// no code with the worker, and shows that the worker adds no time of its own.
//
//	plain ALGORITHM FORM MESSAGE_BYTES
//
// Each line on standard input is a count of seals; each answer is the
// nanoseconds that they took. Unknown arguments end it with exit code 2.
package main

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

// sink keeps the outputs, so that no compiler can omit the calls.
var sink []byte

func main() {
	seal, err := prepare(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(2)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		count, err := strconv.ParseUint(lines.Text(), 10, 32)
		if err != nil {
			fmt.Fprintln(os.Stderr, "plain: a line is not a count of seals:", err)
			os.Exit(2)
		}
		begin := time.Now()
		seal(count)
		fmt.Println(time.Since(begin).Nanoseconds())
	}
}

func prepare(args []string) (func(count uint64), error) {
	if len(args) != 3 || args[1] != "in-place" {
		return nil, errors.New("give ALGORITHM in-place MESSAGE_BYTES")
	}
	size, err := strconv.ParseUint(args[2], 10, 30)
	if err != nil {
		return nil, fmt.Errorf("message bytes: %w", err)
	}
	aead, err := newAEAD(args[0])
	if err != nil {
		return nil, err
	}
	message := make([]byte, size, size+16)
	nonce := make([]byte, aead.NonceSize())
	var counter uint64
	return func(count uint64) {
		for range count {
			counter++
			binary.BigEndian.PutUint64(nonce, counter)
			sink = aead.Seal(message[:0], nonce, message, nil)
		}
	}, nil
}

func newAEAD(algorithm string) (cipher.AEAD, error) {
	key := make([]byte, 32)
	switch algorithm {
	case "aes-256-gcm":
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		return cipher.NewGCM(block)
	case "chacha20-poly1305":
		return chacha20poly1305.New(key)
	}
	return nil, fmt.Errorf("no algorithm %q here", algorithm)
}
