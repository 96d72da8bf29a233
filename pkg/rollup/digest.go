package rollup

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Add adds o to d, modulo 2^128: the digest of two disjoint folds together.
func (d *Digest) Add(o Digest) {
	low, carry := bits.Add64(binary.LittleEndian.Uint64(d[:8]), binary.LittleEndian.Uint64(o[:8]), 0)
	high, _ := bits.Add64(binary.LittleEndian.Uint64(d[8:]), binary.LittleEndian.Uint64(o[8:]), carry)
	binary.LittleEndian.PutUint64(d[:8], low)
	binary.LittleEndian.PutUint64(d[8:], high)
}

// digestOf is what one event adds: the first 16 bytes of SHA-256 over its identity
// and the hash of its fields as they are now, so that a value corrected in place
// shows; of an event that cannot be decoded, over its identity alone. The shard is
// where an event lies, not which it is. It answers its buffer for the next.
func digestOf(buf []byte, e *model.Event) (Digest, []byte) {
	buf = buf[:0]
	for _, part := range [...]string{e.Series.Subject.Type, e.Series.Subject.ID, e.Series.Kind, e.Series.Stream, e.ID} {
		buf = appendText(buf, part)
	}
	buf = binary.AppendVarint(buf, int64(e.At))
	if !e.Unreadable {
		hash := model.HashOf(e.Attrs)
		buf = append(buf, hash[:]...)
	}
	sum := sha256.Sum256(buf)
	return Digest(sum[:16]), buf
}
