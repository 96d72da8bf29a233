package rollup_test

import (
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// readings returns one hour of events of a device that reports every second, and the spec
// of the READING kind.
func readings() (*rollup.Spec, []*model.Event) {
	spec := &rollup.Spec{Measures: []rollup.MeasureSpec{
		{Name: "battery", Scale: 9, Percentiles: true},
		{Name: "humidity", Scale: 9, Percentiles: true},
		{Name: "temperature", Scale: 9, Percentiles: true},
	}}
	all := make([]*model.Event, 3600)
	for i := range all {
		all[i] = event(noon+model.Time(i)*1000, fmt.Sprint(i),
			"battery", fmt.Sprint(100-i/360),
			"humidity", fmt.Sprintf("%d.%d", 40+i%9, i%10),
			"temperature", fmt.Sprintf("%d.%02d", 18+i/600, i%100))
	}
	return spec, all
}

// A recomputation folds the complete bucket, so adding an event must not allocate.
func TestAddEvent_OfAKnownShapeAllocatesNothing(t *testing.T) {
	spec, all := readings()
	for i := range all {
		if i%3 == 0 { // another shape
			all[i].Attrs = all[i].Attrs[1:]
		}
	}
	f := rollup.NewFold(spec)
	for _, e := range all {
		f.AddEvent(e)
	}
	if got := testing.AllocsPerRun(5, func() {
		for _, e := range all {
			f.AddEvent(e)
		}
	}); got != 0 {
		t.Errorf("%v allocations for %d events, want none", got, len(all))
	}
}

func BenchmarkFold3600x3(b *testing.B) {
	spec, all := readings()
	b.ReportAllocs()
	for b.Loop() {
		f := rollup.NewFold(spec)
		for _, e := range all {
			f.AddEvent(e)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/event")
}

// BenchmarkSummary3600x3 is BenchmarkFold3600x3 without the digest.
func BenchmarkSummary3600x3(b *testing.B) {
	spec, all := readings()
	b.ReportAllocs()
	for b.Loop() {
		newSummary(spec, all...)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/event")
}

func BenchmarkEncode(b *testing.B) {
	spec, all := readings()
	s := newSummary(spec, all...)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = s.Encode(buf[:0])
	}
	b.ReportMetric(float64(len(buf)), "bytes")
}

func BenchmarkDecode(b *testing.B) {
	spec, all := readings()
	bytes := newSummary(spec, all...).Encode(nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rollup.Decode(bytes); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFoldDay folds 24 decoded hours, as a recomputation of a day does.
func BenchmarkFoldDay(b *testing.B) {
	spec, all := readings()
	row := rowFrom(b, &rollup.Fold{Summary: newSummary(spec, all...)}, 0)
	b.ReportAllocs()
	for b.Loop() {
		f := rollup.NewFold(spec)
		for range 24 {
			f.AddRow(row)
		}
	}
}
