package printing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestTop_ShowsSharesTheRestAndCaveats(t *testing.T) {
	shares := query.TopValues{Values: []query.Share{{Value: "/", Count: 1500, Share: .75},
		{Value: "/blog", Count: 300, Share: .15}}, Other: 200}
	fold := rollup.NewFold(nil)
	for i := range 3 {
		fold.AddEvent(&model.Event{Order: model.Order{At: model.Time(i)}})
	}
	total := query.Total{Buckets: 2, Open: true, Kinds: []query.KindEvents{{Kind: "PAGEVIEW", Events: 2},
		{Kind: "REQUEST", Events: 1}, {Kind: "MALFORMED"}}, Fold: *fold}
	var out strings.Builder
	if err := printing.Top(&out, "path", shares, total); err != nil {
		t.Fatal(err)
	}
	want := `PATH         COUNT   SHARE
/             1500  75.0 %
/blog          300  15.0 %
(any other)    200  10.0 %
of 3 events (2 PAGEVIEW, 1 REQUEST) in 2 buckets; the last bucket is still open; not exact: a row does not hold every value, misses a change that arrived too late, or was folded before the dimension was declared
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDimensions_AreShownInATable(t *testing.T) {
	fold := rollup.NewFold(
		&rollup.Spec{Dimensions: []rollup.DimensionSpec{{Name: "path", Top: 2}}, Distinct: []string{"visitor"}})
	for i, path := range []string{"/", "/", "/b", "/c"} {
		fold.AddEvent(&model.Event{Order: model.Order{At: model.Time(i)}, Attrs: model.Attrs{
			{Name: "path", Value: model.TextValue(path)}, {Name: "visitor", Value: model.TextValue(path)}}})
	}
	var out strings.Builder
	if err := printing.Dimensions(&out,
		[]query.Rollup{{Bucket: tier.Hour.BucketAt(0), Fold: *fold}}); err != nil {
		t.Fatal(err)
	}
	want := `
BUCKET         EVENTS  FIELD    DISTINCT  MOST FREQUENT
1970-01-01-00       4  visitor         3
1970-01-01-00       4  path       over 2  / 2  /b 1
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out.Reset()
	if err := printing.Dimensions(&out,
		[]query.Rollup{{Bucket: tier.Hour.BucketAt(0), Fold: *rollup.NewFold(nil)}}); err != nil || out.Len() > 0 {
		t.Errorf("of a kind without dimensions: %q, %v", out.String(), err)
	}
}
