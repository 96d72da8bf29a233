package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Hash is the hash of an event's payload: the first 16 bytes of SHA-256 over its validated fields sorted by
// name, with numbers as exact decimals. Enrichment, source and arrival time are not part of it. Two
// observations with the same identity are duplicates if their hashes are equal, otherwise a collision.
type Hash [16]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash is the inverse of Hash.String.
func ParseHash(text string) (h Hash, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("%.40q is not a hash of %d hexadecimal digits", text, 2*len(h))
	}
	return Hash(b), nil
}

// HashAttrs returns the hash of attrs, which must be sorted by name.
func HashAttrs(attrs Attrs) Hash {
	buf, number := make([]byte, 0, 512), [128]byte{}
	for _, a := range attrs {
		buf = appendCounted(buf, a.Name)
		buf = append(buf, byte(a.Value.Kind))
		switch a.Value.Kind {
		case Number:
			buf = appendCounted(buf, a.Value.Number.Append(number[:0]))
		case Text:
			buf = appendCounted(buf, a.Value.Text)
		case Bool:
			if a.Value.Bool {
				buf = append(buf, 1)
			} else {
				buf = append(buf, 0)
			}
		}
	}
	sum := sha256.Sum256(buf)
	return Hash(sum[:16])
}

func appendCounted[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
