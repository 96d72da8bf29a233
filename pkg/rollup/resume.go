package rollup

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Resume is a point in a bucket from which a fold can go on: what its events before a
// time add up to. It changes what is read, never the result: a fold that goes on from
// Before with every event at or after At is, byte for byte, the fold of all of them.
//
// It is only good as long as nothing before At changes. Who uses one must know so.
type Resume struct {
	At     model.Time // Before holds every event before it, and none other
	Newest model.Time // of the changes known when it was made, not before At
	Before Fold       // to be gone on with; it belongs to whoever decoded it
}

// resumeVersion is the first byte of an encoded Resume. Version 1 is, with varints as
// in encoding/binary:
//
//	version            a byte
//	declared           8 bytes: a fingerprint of what the kind declared
//	at                 varint
//	newest             uvarint, since at
//	unreadable         uvarint
//	until, arrival     uvarint, varint
//	digest             16 bytes
//	summary            canonical bytes, to the end
const resumeVersion = 1

// Encode makes the bytes that a row keeps. It is nil where they would not hold all of
// Before: where a dimension has more values than its top, the rest are counted as
// other, and a value that is rare before At may be a frequent one after it.
func (r *Resume) Encode(spec *Spec) []byte {
	if r.Before.Summary.cuts() {
		return nil
	}
	f := &r.Before
	b := append([]byte{resumeVersion}, spec.fingerprint()...)
	b = binary.AppendVarint(b, int64(r.At))
	b = binary.AppendUvarint(b, uint64(r.Newest-r.At))
	b = binary.AppendUvarint(b, uint64(f.Unreadable))
	b = binary.AppendUvarint(b, uint64(f.ChildrenUntil))
	b = binary.AppendVarint(b, int64(f.NewestArrival))
	return f.Summary.Encode(append(b, f.Digest[:]...))
}

// DecodeResume is the way back from Encode, for a fold under spec. It is false for what
// cannot be gone on with: bytes of another version, of a kind that declared otherwise,
// or damaged ones. Nothing is lost by that, since the whole bucket can be folded.
func DecodeResume(b []byte, spec *Spec) (*Resume, bool) {
	if len(b) == 0 || b[0] != resumeVersion {
		return nil, false
	}
	r := &reader{rest: b[1:]}
	if declared := r.bytes(fingerprintSize); string(declared) != string(spec.fingerprint()) {
		return nil, false
	}
	point := &Resume{At: model.Time(r.varint()), Before: *NewFold(spec)}
	r.check(point.At >= model.MinTime && point.At <= model.MaxTime, "time")
	f := &point.Before
	point.Newest = point.At + model.Time(r.count(int64(model.MaxTime-model.MinTime)))
	f.Unreadable = r.count(maxEvents)
	f.ChildrenUntil = r.count(NoExpiry)
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
	f.Exact = f.Unreadable == 0
	f.Children = int(summary.events + f.Unreadable)
	return point, true
}

// cuts reports whether the canonical bytes of s hold less than s does.
func (s *Summary) cuts() bool {
	for _, d := range s.dimensions {
		if len(d.counts) > s.spec.top(d.name) {
			return true
		}
	}
	return false
}

const fingerprintSize = 8

// fingerprint tells two declarations apart: what was folded under one is no beginning
// of a fold under another, which may keep what the first left out.
func (s *Spec) fingerprint() []byte {
	var b []byte
	b = binary.AppendUvarint(b, uint64(s.maxMeasures()))
	b = binary.AppendUvarint(b, uint64(len(s.Measures)))
	for _, m := range s.Measures {
		b = append(appendText(b, m.Name), byte(m.Scale), oneIf(m.Percentiles))
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

func oneIf(set bool) byte {
	if set {
		return 1
	}
	return 0
}
