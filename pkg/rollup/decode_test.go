package rollup_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestDecode_NewerVersionIsNamed(t *testing.T) {
	b := samples()["a station's hour"].Encode(nil)
	b[0] = rollup.Version + 1
	if _, err := rollup.Decode(b); !errors.Is(err, rollup.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
}

func TestDecode_RefusesWhatNobodyEncoded(t *testing.T) {
	place := func(rest ...byte) []byte { // one event, one place, one measure "x" of scale 0
		return append([]byte{1, 0, 1, 1, 2, 0, 1, 1, 'x'}, rest...)
	}
	for name, b := range map[string][]byte{
		"nothing":                       {},
		"version 0":                     {0, 0, 0, 0, 0, 0, 0},
		"cut off":                       {1, 0, 0, 0, 0},
		"a byte after the end":          {1, 0, 0, 0, 0, 0, 0, 0},
		"a flag nobody knows":           {1, 2, 0, 0, 0, 0, 0},
		"truncated without measures":    {1, 1, 0, 0, 0, 0, 0},
		"a longer varint":               {1, 0, 0x80, 0, 0, 0, 0, 0},
		"more events than can be":       {1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0},
		"measures without end":          {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 7, 0, 0},
		"a place nobody refers to":      {1, 0, 1, 1, 2, 0, 0, 0, 0},
		"a measure without values":      {1, 0, 1, 0, 1, 1, 'x', 0, 0, 0, 0, 0},
		"more values than events":       {1, 0, 1, 0, 1, 1, 'x', 0, 0, 2, 0, 0},
		"a name twice":                  {1, 0, 1, 0, 2, 1, 'x', 0, 0, 1, 1, 'x', 0, 0, 1, 0, 0},
		"names out of order":            {1, 0, 1, 0, 2, 1, 'y', 0, 0, 1, 1, 'x', 0, 0, 1, 0, 0},
		"a distinct count of nothing":   {1, 0, 0, 0, 0, 1, 1, 'v', 0, 0},
		"hashes out of order":           slices.Concat([]byte{1, 0, 2, 0, 0, 1, 1, 'v', 2}, make([]byte, 7), []byte{2}, make([]byte, 7), []byte{1, 0}),
		"a dimension without values":    {1, 0, 1, 0, 0, 0, 1, 1, 'p', 0, 0},
		"values out of order":           {1, 0, 2, 0, 0, 0, 1, 1, 'p', 2, 1, 'b', 1, 1, 'a', 1, 0},
		"more of a value than events":   {1, 0, 1, 0, 0, 0, 1, 1, 'p', 1, 1, 'b', 2, 0},
		"zeros that all numbers end in": {1, 0, 1, 1, 2, 0, 1, 1, 'x', 1, 1, 0, 0, 0, 20, 20, 20, 20, 20, 100, 0, 0, 0, 0},
		"a minimum above the maximum":   place(0, 1, 0, 0, 0, 2, 4, 2, 2, 2, 1, 0, 0, 0, 0),
		"a sum that values cannot have": place(0, 1, 0, 0, 0, 4, 2, 2, 2, 2, 1, 0, 0, 0, 0),
		"a first after the last":        {1, 0, 2, 2, 2, 0, 2, 0, 1, 1, 'x', 0, 2, 0, 0, 0, 4, 2, 2, 2, 2, 2, 1, 0, 0, 0},
		"a place that is not there":     place(0, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 1, 0, 0),
		"a bin that values cannot have": place(16, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 4, 1, 0, 0),
		"a bin of more than the values": place(16, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 0x9a, 0x1b, 2, 0, 0),
		"a time no clock shows":         {1, 0, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0},
	} {
		s, err := rollup.Decode(b)
		if !errors.Is(err, rollup.ErrMalformed) || s != nil {
			t.Errorf("%s: got %v, want ErrMalformed", name, err)
		}
	}
	for _, b := range [][]byte{
		place(0, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0),
		place(16, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 0x9a, 0x1b, 1, 0, 0),
	} {
		if _, err := rollup.Decode(b); err != nil {
			t.Errorf("what the cases differ from: %v", err)
		}
	}
}

func TestDecode_EveryBytesCutOffIsRefused(t *testing.T) {
	for name, s := range samples() {
		b := s.Encode(nil)
		for n := range b {
			if _, err := rollup.Decode(b[:n]); err == nil {
				t.Fatalf("%s: the first %d of %d bytes are taken for a summary", name, n, len(b))
			}
		}
	}
}

// Bytes that promise much must not make Decode ask for much.
func TestDecode_TakesMemoryInProportionToItsInput(t *testing.T) {
	hostile := append([]byte{1, 0, 1, 0, 0x80, 0x80, 0x10}, make([]byte, 1<<20)...) // 2^18 measures
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := rollup.Decode(hostile)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 1<<17 {
		t.Errorf("%d bytes taken for %d, error %v", got, len(hostile), err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range samples() {
		f.Add(s.Encode(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := rollup.Decode(b)
		if err != nil {
			if !errors.Is(err, rollup.ErrMalformed) && !errors.Is(err, rollup.ErrNewer) {
				t.Fatalf("an error without a name: %v", err)
			}
			return
		}
		if again := s.Encode(nil); !bytes.Equal(again, b) {
			t.Fatalf("read %x, wrote %x", b, again)
		}
		exercise(s)
		whole := rollup.New(station)
		whole.Merge(s)
		whole.Merge(s)
		if s.Events() < 1<<46 {
			decoded(t, whole)
		}
	})
}

// exercise asks a summary for everything; whatever bytes it came of, none panics.
func exercise(s *rollup.Summary) {
	for _, name := range s.Names() {
		m, _ := s.Measure(name)
		_, _ = m.Avg()
		_, _ = m.Variance()
		_, _ = m.Stddev()
		_, _ = m.Quantile(.5)
		_ = fmt.Sprint(m.Sum, m.Min, m.Max, m.First, m.Last)
	}
	for _, name := range s.DistinctNames() {
		_, _ = s.Distinct(name)
	}
	for _, name := range s.DimensionNames() {
		_, _ = s.Dimension(name)
	}
}
