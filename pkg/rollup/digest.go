package rollup

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Add adds o to d, modulo 2^128. The sum is the digest of two disjoint folds together.
func (d *Digest) Add(o Digest) {
	low, carry := bits.Add64(binary.LittleEndian.Uint64(d[:8]), binary.LittleEndian.Uint64(o[:8]), 0)
	high, _ := bits.Add64(binary.LittleEndian.Uint64(d[8:]), binary.LittleEndian.Uint64(o[8:]), carry)
	binary.LittleEndian.PutUint64(d[:8], low)
	binary.LittleEndian.PutUint64(d[8:], high)
}

// Sub subtracts o from d, modulo 2^128. It reverses Add.
func (d *Digest) Sub(o Digest) {
	low, borrow := bits.Sub64(binary.LittleEndian.Uint64(d[:8]), binary.LittleEndian.Uint64(o[:8]), 0)
	high, _ := bits.Sub64(binary.LittleEndian.Uint64(d[8:]), binary.LittleEndian.Uint64(o[8:]), borrow)
	binary.LittleEndian.PutUint64(d[:8], low)
	binary.LittleEndian.PutUint64(d[8:], high)
}

// NewDigest returns what one event adds to the digest of a fold. An audit of a bucket needs
// only digests, which cost less than folding it.
func NewDigest(e *model.Event) Digest {
	var d digester
	return d.of(e)
}

// digester makes digests of events. It caches the hashed bytes of the last series, because
// events of one series mostly come together.
type digester struct {
	series model.Series
	buf    []byte // begins with the series
	from   int    // length of the series in buf
}

// of returns the digest of one event: the first 16 bytes of SHA-256 of its identity and its
// fields, so that a corrected value changes it. The digest of an event that cannot be
// decoded is of its identity only. The shard is not part of the identity.
//
// The hash is a cryptographic one because audits depend on it.
func (d *digester) of(e *model.Event) Digest {
	if d.series != e.Series {
		d.begin(e.Series)
	}
	buf := appendText(d.buf[:d.from], e.ID)
	buf = binary.AppendVarint(buf, int64(e.At))
	if !e.Unreadable {
		buf = append(buf, readable)
		for i := range e.Attrs {
			buf = appendValue(appendText(buf, e.Attrs[i].Name), &e.Attrs[i].Value)
		}
	}
	d.buf = buf
	sum := sha256.Sum256(buf)
	return Digest(sum[:16])
}

func (d *digester) begin(s model.Series) {
	d.series, d.buf = s, d.buf[:0]
	for _, part := range [...]string{s.Subject.Type, s.Subject.ID, s.Kind, s.Stream} {
		d.buf = appendText(d.buf, part)
	}
	d.from = len(d.buf)
}

// readable precedes the fields in the hashed bytes, so that an event without fields and an
// unreadable one have different digests.
const readable = 1

func appendValue(buf []byte, v *model.Value) []byte {
	buf = append(buf, byte(v.Kind))
	switch v.Kind {
	case model.Number:
		return v.Number.AppendBinary(buf)
	case model.Text:
		return appendText(buf, v.Text)
	case model.Bool:
		return strconv.AppendBool(buf, v.Bool)
	}
	return buf
}
