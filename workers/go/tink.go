//go:build !without_tink

package main

// The provider "tink-go": Tink's primitives from raw keys, through its public
// packages aead/subtle and daead/subtle; XAES-256-GCM through a keyset, because
// Tink has it nowhere else.
//
// Tink's interfaces take no nonce: Encrypt draws one with crypto/rand.Read and
// writes it before the ciphertext. PROTOCOL.md numbers the nonces, so that
// every output can be verified. Read is documented to read from the variable
// crypto/rand.Reader; in this process that returns the nonce of the iteration.
// All of Tink's own code is timed; the system's randomness is replaced by a
// copy.

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"

	keysets "github.com/tink-crypto/tink-go/v2/aead"
	aead "github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/aead/xaesgcm"
	daead "github.com/tink-crypto/tink-go/v2/daead/subtle"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/subtle/random"
	"github.com/tink-crypto/tink-go/v2/tink"
)

func init() {
	providers = append(providers, provider{"tink-go", tinkAlgorithms})
}

func tinkAlgorithms() ([]algorithm, error) {
	if err := giveNonces(); err != nil {
		return nil, err
	}
	tink := moduleVersion("github.com/tink-crypto/tink-go/v2")
	std := ", go " + goVersion()
	x := std + ", x/crypto " + moduleVersion("golang.org/x/crypto")
	drawn := algorithm{
		version:    tink + " (nonces given)" + std,
		operations: []string{"key-setup", "seal", "open"},
		forms:      []string{"fresh"},
		key:        32,
		nonce:      12,
		drawsNonce: true,
	}

	gcm := keyed(drawn, aead.NewAESGCM, asAEAD)
	gcm.path = gcmPath()
	gcm128, gcm256 := gcm, gcm
	gcm128.name, gcm128.key = "aes-128-gcm", 16
	gcm256.name = "aes-256-gcm"
	gcmSIV := keyed(drawn, aead.NewAESGCMSIV, asAEAD)
	gcmSIV.name, gcmSIV.path = "aes-256-gcm-siv", softHash()
	xaes := keyed(drawn, newTinkXAES, asAEAD)
	xaes.name, xaes.path, xaes.nonce = "xaes-256-gcm", gcm.path, 24

	poly := keyed(drawn, aead.NewChaCha20Poly1305, asAEAD)
	poly.name, poly.version, poly.path = "chacha20-poly1305", tink+" (nonces given)"+x, chachaPolyPath()
	xpoly := keyed(drawn, aead.NewXChaCha20Poly1305, asAEAD)
	xpoly.name, xpoly.version, xpoly.path, xpoly.nonce = "xchacha20-poly1305", poly.version, poly.path, 24

	siv := keyed(drawn, daead.NewAESSIV, asDeterministic)
	siv.name, siv.version, siv.path = "aes-256-siv", tink+std, aesPath()
	siv.key, siv.nonce, siv.drawsNonce = daead.AESSIVKeySize, 0, false
	ctr := keyed(drawn, newTinkCTR, asBare)
	ctr.name, ctr.path, ctr.nonce, ctr.zeroNonce = "aes-256-ctr", aesPath(), ctrNonce, true
	ctr.operations = []string{"key-setup", "encrypt", "decrypt"}

	return []algorithm{gcm128, gcm256, gcmSIV, siv, xaes, poly, xpoly, ctr}, nil
}

// keyed completes an offer with the library's constructor, and with the adapter
// of its result to a box.
func keyed[T any](a algorithm, construct func(key []byte) (T, error), shape func(T) box) algorithm {
	a.expand = func(key []byte) (any, error) { return construct(key) }
	a.newBox = func(key []byte, _ int) (box, error) {
		made, err := construct(key)
		if err != nil {
			return nil, err
		}
		return shape(made), nil
	}
	return a
}

// nonceSource replaces the system's randomness. There is one for the whole
// process, and it cannot know which thread asks: sealing uses one thread.
type nonceSource struct {
	nonce  []byte
	system io.Reader
}

var nonces nonceSource

// Read returns the nonce if exactly that many bytes are requested, which only
// Tink does.
func (s *nonceSource) Read(p []byte) (int, error) {
	if len(p) != len(s.nonce) {
		return s.system.Read(p)
	}
	return copy(p, s.nonce), nil
}

// giveNonces sets the source up and checks that Tink reads from it.
func giveNonces() error {
	if rand.Reader != &nonces {
		nonces.system = rand.Reader
		rand.Reader = &nonces
	}
	nonces.nonce = []byte("given nonce.")
	if !bytes.Equal(random.GetRandomBytes(uint32(len(nonces.nonce))), nonces.nonce) {
		return errors.New("this Go's crypto/rand ignores crypto/rand.Reader, through which tink-go gets its nonces; build the worker with Go 1.25 or 1.26")
	}
	return nil
}

// after is what Tink wrote behind the nonce. Its Encrypt fails only for
// messages that are too long; a panic here is answered with an error line.
func after(nonce, out []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return out[len(nonce):]
}

type tinkAEAD struct{ aead tink.AEAD }

func asAEAD[T tink.AEAD](made T) box { return &tinkAEAD{made} }

func (t *tinkAEAD) Seal(_, nonce, src, aad []byte) []byte {
	nonces.nonce = nonce
	out, err := t.aead.Encrypt(src, aad)
	return after(nonce, out, err)
}

// Open opens nonce ‖ ciphertext ‖ tag.
func (t *tinkAEAD) Open(_, _, src, aad []byte) ([]byte, error) {
	return t.aead.Decrypt(src, aad)
}

type tinkDeterministic struct{ aead tink.DeterministicAEAD }

func asDeterministic(made *daead.AESSIV) box { return &tinkDeterministic{made} }

func (t *tinkDeterministic) Seal(_, _, src, aad []byte) []byte {
	out, err := t.aead.EncryptDeterministically(src, aad)
	return after(nil, out, err)
}

func (t *tinkDeterministic) Open(_, _, src, aad []byte) ([]byte, error) {
	return t.aead.DecryptDeterministically(src, aad)
}

// xaesSalt is the part of the nonce that derives a key, as C2SP has it.
const xaesSalt = 12

// newTinkXAES makes a keyset of one key, whose output has no prefix.
func newTinkXAES(raw []byte) (tink.AEAD, error) {
	parameters, err := xaesgcm.NewParameters(xaesgcm.VariantNoPrefix, xaesSalt)
	if err != nil {
		return nil, err
	}
	key, err := xaesgcm.NewKey(secretdata.NewBytesFromData(raw, insecuresecretdataaccess.Token{}), 0, parameters)
	if err != nil {
		return nil, err
	}
	manager := keyset.NewManager()
	id, err := manager.AddKey(key)
	if err != nil {
		return nil, err
	}
	if err := manager.SetPrimary(id); err != nil {
		return nil, err
	}
	handle, err := manager.Handle()
	if err != nil {
		return nil, err
	}
	return keysets.New(handle)
}

// ctrNonce is the largest nonce that Tink's CTR takes, the whole counter block.
const ctrNonce = 16

func newTinkCTR(key []byte) (*aead.AESCTR, error) { return aead.NewAESCTR(key, ctrNonce) }

type tinkBare struct{ cipher aead.INDCPACipher }

func asBare(made *aead.AESCTR) box { return &tinkBare{made} }

func (t *tinkBare) Seal(_, nonce, src, _ []byte) []byte {
	nonces.nonce = nonce
	out, err := t.cipher.Encrypt(src)
	return after(nonce, out, err)
}

// Open decrypts nonce ‖ ciphertext.
func (t *tinkBare) Open(_, _, src, _ []byte) ([]byte, error) {
	return t.cipher.Decrypt(src)
}
