package query

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A time is in the union if it is in one of the spans, and keeps a reason that all spans at it have.
func TestUnion_CoversTheSameTimesAndKeepsTheReasonsThatAllHave(t *testing.T) {
	units := []tier.Unit{0, tier.Minute, tier.Hour}
	rapid.Check(t, func(t *rapid.T) {
		var spans []Segment
		for range rapid.IntRange(0, 6).Draw(t, "spans") {
			from := rapid.IntRange(0, 20).Draw(t, "from")
			length := rapid.IntRange(0, 6).Draw(t, "length")
			spans = append(spans, Segment{
				Unit: rapid.SampledFrom(units).Draw(t, "unit"), From: model.Time(from), To: model.Time(from + length),
			})
		}
		merged := union(spans)
		for i := 1; i < len(merged); i++ {
			if merged[i-1].To > merged[i].From {
				t.Fatalf("union of %v: %v overlaps", spans, merged)
			}
		}
		for at := range model.Time(30) {
			here := Segment{From: at, To: at + 1}
			of, in := within(spans, here), within(merged, here)
			if (len(of) > 0) != (len(in) == 1) {
				t.Fatalf("union of %v: %v at %d", spans, merged, at)
			}
			for _, s := range of {
				if in[0].Unit != 0 && in[0].Unit != s.Unit {
					t.Fatalf("union of %v: %v has the reason of one span at %d", spans, merged, at)
				}
			}
		}
	})
}
