package ingest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/oklog/ulid/v2"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Mint makes the id of an event that has its id made at the door: a ULID of
// the event time, so that ids sort as their events do. Where the delivery has an
// origin the rest follows from it, and a delivery that comes again is the same
// event; else it is random.
func Mint(at model.Time, origin string, random io.Reader) (string, error) {
	if origin != "" {
		digest := sha256.Sum256([]byte(origin))
		random = bytes.NewReader(digest[:])
	}
	id, err := ulid.New(uint64(max(at, 0)), random)
	if err != nil {
		return "", fmt.Errorf("mint an id: %w", err)
	}
	return id.String(), nil
}
