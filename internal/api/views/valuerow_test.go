package views

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
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
	page := query.RollupPage{Rollups: []query.Rollup{{Bucket: tier.Day.BucketAt(0), Fold: *fold,
		Changes: query.Changes{Late: 2 * 86400_000, Corrected: 3 * 86400_000}}}}
	var out bytes.Buffer
	if err := FormatCSV.Write(&out, NewRollups(page)); err != nil {
		t.Fatal(err)
	}
	const end = ",1970-01-01,UTC,false,,,,,,,,1970-01-03T00:00:00.000Z,1970-01-04T00:00:00.000Z,\n"
	start := "day,1970-01-01T00:00:00.000Z,1970-01-02T00:00:00.000Z,,,,,,,,,,,,,,true,false,"
	want := "tier,bucket,end,measure,count,invalid,sum,min,max,avg,stddev,first,last,p50,p95,p99," +
		"exact,open,events,field,value,distinct,wholeFrom,date,zone,truncated," +
		"increase,resets,rate,timeMean,coveredSeconds,rounded,event,lateAt,correctedAt,recomputedAt\n" +
		start + "3,,,," + end + start + "3,visitor,,1," + end +
		start + "2,path,/,," + end + start + "1,path,/b,," + end
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// The bucket of a local day begins on another date in UTC: the row has the local date and the zone.
func TestRollups_CSVHasTheDateAndTheZoneOfALocalDay(t *testing.T) {
	local := query.Rollup{Local: query.LocalPeriod{Zone: "Europe/Berlin", Unit: times.Day, Label: "2026-11-12"},
		Fold: *rollup.NewFold(nil)}
	var out bytes.Buffer
	if err := FormatCSV.Write(&out, NewRollups(query.RollupPage{Rollups: []query.Rollup{local}})); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), ",2026-11-12,Europe/Berlin,false,,,,,,,,,,\n") {
		t.Errorf("got %s", out.String())
	}
}
