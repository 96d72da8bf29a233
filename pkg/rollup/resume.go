package rollup

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ResumePoint is the fold of a bucket's events before a time. A fold can resume from it:
// Before plus every event at or after At equals, byte for byte, the fold of all events.
// It saves reads and never changes the result.
//
// A resume point is valid only while no event before At changes. Its user must know that.
type ResumePoint struct {
	At     model.Time // Before has every event before it, and no other
	Newest model.Time // event time of the newest change known when it was made, not before At
	Before Fold       // the caller of DecodeResumePoint may add to it
}

// resumeVersion is the first byte of an encoded ResumePoint. Version 1 is, with varints
// as in encoding/binary:
//
//	version            a byte
//	declared           8 bytes: a fingerprint of the kind's declaration
//	at                 varint
//	newest             uvarint, since at
//	unreadable         uvarint
//	until, arrival     uvarint, varint
//	digest             16 bytes
//	summary            canonical bytes, to the end
const resumeVersion = 1

// Encode returns the bytes to store in a row. It returns nil where they would not have
// all of Before: of a dimension with more values than its top the rest count as other,
// but a value that is rare before At may be frequent after it.
func (r *ResumePoint) Encode(spec *Spec) []byte {
	if r.Before.Summary.dropsValues() {
		return nil
	}
	f := &r.Before
	b := append([]byte{resumeVersion}, spec.fingerprint()...)
	b = binary.AppendVarint(b, int64(r.At))
	b = binary.AppendUvarint(b, uint64(r.Newest-r.At))
	b = binary.AppendUvarint(b, uint64(f.Unreadable))
	b = binary.AppendUvarint(b, uint64(f.ChildrenExpireAt))
	b = binary.AppendVarint(b, int64(f.NewestArrival))
	return f.Summary.Encode(append(b, f.Digest[:]...))
}

// DecodeResumePoint decodes the bytes of Encode, for a fold under spec. It returns false
// where a fold cannot resume from them: they are of another version, of another
// declaration of the kind, or damaged. The caller then folds the complete bucket.
func DecodeResumePoint(b []byte, spec *Spec) (*ResumePoint, bool) {
	if len(b) == 0 || b[0] != resumeVersion {
		return nil, false
	}
	r := &reader{rest: b[1:]}
	if declared := r.bytes(fingerprintSize); string(declared) != string(spec.fingerprint()) {
		return nil, false
	}
	point := &ResumePoint{At: model.Time(r.varint()), Before: *NewFold(spec)}
	r.check(point.At >= model.MinTime && point.At <= model.MaxTime, "time")
	f := &point.Before
	point.Newest = point.At + model.Time(r.count(int64(model.MaxTime-model.MinTime)))
	f.Unreadable = r.count(maxEvents)
	f.ChildrenExpireAt = r.count(NoExpiry)
	f.NewestArrival = model.Time(r.varint())
	copy(f.Digest[:], r.bytes(len(f.Digest)))
	if r.err != nil {
		return nil, false
	}
	summary, err := Decode(r.rest)
	if err != nil {
		return nil, false
	}
	f.Summary.Merge(summary)
	f.Exact, f.FieldsAt = f.Unreadable == 0, spec.fieldsAt()
	f.Children = int(summary.events + f.Unreadable)
	return point, true
}

// dropsValues reports whether the canonical bytes of s omit values of a dimension.
func (s *Summary) dropsValues() bool {
	for _, d := range s.dimensions {
		if len(d.counts) > s.spec.top(d.name) {
			return true
		}
	}
	return false
}

const fingerprintSize = 8

// fingerprint differs between two declarations. A fold under one cannot resume a fold
// under the other, which may store what the first omitted.
func (s *Spec) fingerprint() []byte {
	var b []byte
	b = binary.AppendUvarint(b, uint64(s.maxMeasures()))
	b = binary.AppendUvarint(b, uint64(len(s.Measures)))
	for _, m := range s.Measures {
		b = append(appendText(b, m.Name), byte(m.Scale), boolByte(m.Percentiles))
	}
	b = binary.AppendUvarint(b, uint64(len(s.Dimensions)))
	for _, d := range s.Dimensions {
		b = binary.AppendUvarint(appendText(b, d.Name), uint64(s.top(d.Name)))
	}
	for _, name := range s.Distinct {
		b = appendText(b, name)
	}
	sum := sha256.Sum256(b)
	return sum[:fingerprintSize]
}

func boolByte(set bool) byte {
	if set {
		return 1
	}
	return 0
}
