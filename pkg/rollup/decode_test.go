package rollup_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestDecode_NewerVersionReturnsErrNewer(t *testing.T) {
	b := samples()["a station's hour"].Encode(nil)
	b[0] = rollup.Version + 1
	if _, err := rollup.Decode(b); !errors.Is(err, rollup.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
}

func TestDecode_RejectsBytesThatEncodeNeverWrites(t *testing.T) {
	position := func(rest ...byte) []byte { // one event, one position, one measure "x" of scale 0
		return append([]byte{1, 0, 1, 1, 2, 0, 1, 1, 'x'}, rest...)
	}
	for name, b := range map[string][]byte{
		"nothing":                     {},
		"version 0":                   {0, 0, 0, 0, 0, 0, 0},
		"cut off":                     {1, 0, 0, 0, 0},
		"a byte after the end":        {1, 0, 0, 0, 0, 0, 0, 0},
		"an unknown flag":             {1, 2, 0, 0, 0, 0, 0},
		"truncated without measures":  {1, 1, 0, 0, 0, 0, 0},
		"a longer varint":             {1, 0, 0x80, 0, 0, 0, 0, 0},
		"more events than possible":   {1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0},
		"measures without end":        {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 7, 0, 0},
		"an unused position":          {1, 0, 1, 1, 2, 0, 0, 0, 0},
		"a measure without values":    {1, 0, 1, 0, 1, 1, 'x', 0, 0, 0, 0, 0},
		"more values than events":     {1, 0, 1, 0, 1, 1, 'x', 0, 0, 2, 0, 0},
		"a name twice":                {1, 0, 1, 0, 2, 1, 'x', 0, 0, 1, 1, 'x', 0, 0, 1, 0, 0},
		"names out of order":          {1, 0, 1, 0, 2, 1, 'y', 0, 0, 1, 1, 'x', 0, 0, 1, 0, 0},
		"a distinct count of nothing": {1, 0, 0, 0, 0, 1, 1, 'v', 0, 0},
		"hashes out of order":         slices.Concat([]byte{1, 0, 2, 0, 0, 1, 1, 'v', 2}, make([]byte, 7), []byte{2}, make([]byte, 7), []byte{1, 0}),
		"a dimension without values":  {1, 0, 1, 0, 0, 0, 1, 1, 'p', 0, 0},
		"values out of order":         {1, 0, 2, 0, 0, 0, 1, 1, 'p', 2, 1, 'b', 1, 1, 'a', 1, 0},
		"more of a value than events": {1, 0, 1, 0, 0, 0, 1, 1, 'p', 1, 1, 'b', 2, 0},
		"common trailing zeros":       {1, 0, 1, 1, 2, 0, 1, 1, 'x', 1, 1, 0, 0, 0, 20, 20, 20, 20, 20, 100, 0, 0, 0, 0},
		"a minimum above the maximum": position(0, 1, 0, 0, 0, 2, 4, 2, 2, 2, 1, 0, 0, 0, 0),
		"an impossible sum":           position(0, 1, 0, 0, 0, 4, 2, 2, 2, 2, 1, 0, 0, 0, 0),
		"a first after the last":      {1, 0, 2, 2, 2, 0, 2, 0, 1, 1, 'x', 0, 2, 0, 0, 0, 4, 2, 2, 2, 2, 2, 1, 0, 0, 0},
		"a missing position":          position(0, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 1, 0, 0),
		"an impossible bin":           position(16, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 4, 1, 0, 0),
		"a bin with too many values":  position(16, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 0x9a, 0x1b, 2, 0, 0),
		"steps of a missing measure": slices.Concat([]byte{4},
			position(0, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0)[1:], []byte{0, 1, 7, 1, 0, 0}),
		"a time out of range": {1, 0, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0},
	} {
		s, err := rollup.Decode(b)
		if !errors.Is(err, rollup.ErrMalformed) || s != nil {
			t.Errorf("%s: got %v, want ErrMalformed", name, err)
		}
	}
	for _, b := range [][]byte{
		position(0, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0),
		position(16, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 0x9a, 0x1b, 1, 0, 0),
	} {
		if _, err := rollup.Decode(b); err != nil {
			t.Errorf("the valid bytes that the cases are made from: %v", err)
		}
	}
}

func TestDecode_RejectsTruncatedBytes(t *testing.T) {
	for name, s := range samples() {
		b := s.Encode(nil)
		for n := range b {
			if _, err := rollup.Decode(b[:n]); err == nil {
				t.Fatalf("%s: the first %d of %d bytes are accepted as a summary", name, n, len(b))
			}
		}
	}
}

// Bytes that declare long lists must not make Decode allocate much memory.
func TestDecode_MemoryIsProportionalToTheInput(t *testing.T) {
	hostile := append([]byte{1, 0, 1, 0, 0x80, 0x80, 0x10}, make([]byte, 1<<20)...) // 2^18 measures
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := rollup.Decode(hostile)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 1<<17 {
		t.Errorf("%d bytes allocated for an input of %d, error %v", got, len(hostile), err)
	}
}

func FuzzDecode(f *testing.F) {
	testenv.AddCorpus(f)
	for _, s := range samples() {
		f.Add(s.Encode(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := rollup.Decode(b)
		if err != nil {
			if !errors.Is(err, rollup.ErrMalformed) && !errors.Is(err, rollup.ErrNewer) {
				t.Fatalf("error %v, want ErrMalformed or ErrNewer", err)
			}
			return
		}
		if again := s.Encode(nil); !bytes.Equal(again, b) {
			t.Fatalf("read %x, wrote %x", b, again)
		}
		exercise(s)
		merged := rollup.New(station)
		merged.Merge(s)
		merged.Merge(s)
		if s.Events() < 1<<46 {
			decoded(t, merged)
		}
	})
}

// exercise calls every getter of a summary: none may panic, whatever bytes it was decoded
// from.
func exercise(s *rollup.Summary) {
	for _, name := range s.Names() {
		m, _ := s.Measure(name)
		_, _ = m.Avg()
		for _, by := range allRankings {
			_ = s.Members(name, by)
		}
		_, _ = m.Variance()
		_, _ = m.Stddev()
		_, _ = m.Quantile(.5)
		_ = fmt.Sprint(m.Sum, m.Min, m.Max, m.First, m.Last)
	}
	for _, name := range s.DistinctNames() {
		_, _, _ = s.Distinct(name)
	}
	for _, name := range s.DimensionNames() {
		_, _ = s.Dimension(name)
	}
}

// Times and numbers are valid exactly up to their limits, in bytes that are otherwise valid.
func TestDecode_LimitsTimesAndNumbers(t *testing.T) {
	at := func(when model.Time) []byte {
		return slices.Concat([]byte{1, 0, 1, 1}, binary.AppendVarint(nil, int64(when)),
			[]byte{0, 1, 1, 'x', 0, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0})
	}
	for when, valid := range map[model.Time]bool{model.MinTime: true, model.MaxTime: true,
		model.MinTime - 1: false, model.MaxTime + 1: false} {
		if _, err := rollup.Decode(at(when)); (err == nil) != valid ||
			err != nil && !errors.Is(err, rollup.ErrMalformed) {
			t.Errorf("an event at %d: %v, want valid %t", when, err, valid)
		}
	}
	number := func(n ...byte) []byte { // as the sum of one value
		return slices.Concat([]byte{1, 0, 1, 1, 2, 0, 1, 1, 'x', 0, 1, 0, 0, 0}, n,
			[]byte{2, 2, 2, 2, 1, 0, 0, 0, 0})
	}
	for name, b := range map[string][]byte{
		"more than 256 bits":     number(append(bytes.Repeat([]byte{0x80}, 36), 0x10)...),
		"more than 36 digits":    number(append(bytes.Repeat([]byte{0x80}, 37), 1)...),
		"more bits than any sum": number(append(bytes.Repeat([]byte{0x80}, 30), 1)...),
	} {
		if _, err := rollup.Decode(b); !errors.Is(err, rollup.ErrMalformed) {
			t.Errorf("a sum of %s: %v, want ErrMalformed", name, err)
		}
	}
}
