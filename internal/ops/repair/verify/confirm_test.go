package verify

import (
	"context"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// racing lets something happen before a read of events.
type racing struct {
	Store
	before func()
}

func (r *racing) Events(ctx context.Context, q storage.Range) (storage.EventPage, error) {
	r.before()
	return r.Store.Events(ctx, q)
}

// An event that is stored and processed between the reading of rows and of events is no difference: rows and
// events were right before and after.
func TestVerifier_AnEventProcessedMeanwhileIsNoDifference(t *testing.T) {
	for name, reads := range map[string]int{"once": 1, "at each read": 1000} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, testKind(t))
			f.process(testEvents...)
			n := 0
			store := &racing{f.Table, func() {
				if n++; n <= reads {
					late := eventAt("2026-04-20T14:30:00Z", int64(n))
					late.Order = model.Order{At: late.At.Add(0) + model.Time(n), ID: "late"}
					f.process(late)
				}
			}}
			v := Verifier{Store: store, Catalog: f.catalog, Now: f.now}
			report, err := v.Verify(t.Context(), Scope{Span: Always})
			if err != nil || len(report.Differences) > 0 {
				t.Fatalf("differences %v, %v; want none", report.Differences, err)
			}
			if (report.Count(Busy) > 0) != (reads > 1) {
				t.Errorf("%d buckets are busy", report.Count(Busy))
			}
		})
	}
}
