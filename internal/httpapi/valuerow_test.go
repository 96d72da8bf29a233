package httpapi

import (
	"bytes"
	"testing"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// CSV of page views, which have no measures, had a header and no rows.
func TestRollups_CSVHasRowsForBucketsWithoutMeasures(t *testing.T) {
	kinds, err := catalog.New(catalog.Kind{
		Name: "VIEW", Subject: catalog.SubjectType{Name: "SITE"}, Distinct: []string{"visitor"},
		Dimensions: []rollup.DimensionSpec{{Name: "path"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	fold := rollup.NewFold(kinds.Kinds[0].Spec())
	for i, path := range []string{"/", "/", "/b"} {
		fold.AddEvent(&model.Event{Order: model.Order{At: model.Time(i)}, Attrs: model.Attrs{
			{Name: "path", Value: model.TextValue(path)}, {Name: "visitor", Value: model.TextValue("ann")},
		}})
	}
	page := query.RollupPage{Rollups: []query.Rollup{{Bucket: tier.Day.BucketOf(0), Fold: *fold}}}
	var out bytes.Buffer
	if err := FormatCSV.Write(&out, RollupsOf(page)); err != nil {
		t.Fatal(err)
	}
	start := "day,1970-01-01T00:00:00.000Z,1970-01-02T00:00:00.000Z,,,,,,,,,,,,,,true,false,"
	want := "tier,bucket,end,measure,count,invalid,sum,min,max,avg,stddev,first,last,p50,p95,p99,exact,open,events,field,value,distinct,wholeFrom\n" +
		start + "3,,,,\n" + start + "3,visitor,,1,\n" + start + "2,path,/,,\n" + start + "1,path,/b,,\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
