// Package ids makes all random values: ids, tokens, nonces and secrets. The random source
// is a parameter, so that a simulation can be replayed from its seed; in production it is
// crypto/rand.Reader. Errors of the source are returned.
package ids

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/oklog/ulid/v2"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Nonce returns sixteen random bytes: the value of an optimistic lock, or the generation of a subject.
func Nonce(random io.Reader) (n [16]byte, err error) {
	if _, err := io.ReadFull(random, n[:]); err != nil {
		return [16]byte{}, fmt.Errorf("make a nonce: %w", err)
	}
	return n, nil
}

// Token returns a nonce in hexadecimal: the idempotency token of a transaction.
func Token(random io.Reader) (string, error) {
	n, err := Nonce(random)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(n[:]), nil
}

// Secret returns n random bytes.
func Secret(random io.Reader, n int) ([]byte, error) {
	secret := make([]byte, n)
	if _, err := io.ReadFull(random, secret); err != nil {
		return nil, fmt.Errorf("make a secret: %w", err)
	}
	return secret, nil
}

// Event returns an id for an event or a purge: a ULID with the event time at, so that ids sort like their
// events. Times before 1970 count as 1970. If origin is not empty, the rest of the id is derived from it
// instead of random: a repeated delivery with the same origin then makes the same event.
func Event(at model.Time, origin string, random io.Reader) (string, error) {
	if origin != "" {
		digest := sha256.Sum256([]byte(origin))
		random = bytes.NewReader(digest[:])
	}
	id, err := ulid.New(uint64(max(at, 0)), random)
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}
