package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Hash is the payload identity of an event: the first 16 bytes of SHA-256 over its
// admitted fields sorted by name, numbers as exact decimals before any rounding.
// Enrichment, door and arrival are not part of it. Two observations of the same
// identity are duplicates when their hashes are equal, else a collision.
type Hash [16]byte

// String is the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// HashOf is the payload identity of attrs, which are sorted by name.
func HashOf(attrs Attrs) Hash {
	buf, room := make([]byte, 0, 512), [128]byte{}
	for _, a := range attrs {
		buf = appendCounted(buf, a.Name)
		buf = append(buf, byte(a.Value.Kind))
		switch a.Value.Kind {
		case Number:
			buf = appendCounted(buf, a.Value.Number.Append(room[:0]))
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
