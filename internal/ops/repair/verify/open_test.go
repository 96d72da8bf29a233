package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A bucket that no sweep has settled has no row, and that is right. A settled one without a
// row is missing.
func TestVerify_OpenBucketsAreNotJudgedByTheirRows(t *testing.T) {
	kind := *testKind(t)
	kind.Retention = tier.Standard()
	kind.Retention.Tiers = slices.Clone(kind.Retention.Tiers)
	for i := range kind.Retention.Tiers {
		kind.Retention.Tiers[i].Deferred = true
	}
	f := newFixture(t, &kind)
	e := eventAt(soon, 0)
	f.process(e)
	if report := f.audit(Auditor{}, model.Subject{}); len(report.Suspects) > 0 {
		t.Errorf("suspects %v, want none while the buckets are open", report.Suspects)
	}
	if report := f.audit(Auditor{Include: func(*model.Event) bool { return true }},
		model.Subject{}); len(report.Suspects) != 1 {
		t.Errorf("suspects %v, want the hour of the included event: its invalidation may be missing",
			report.Suspects)
	}
	report := f.verify(Verifier{}, Scope{Span: Always})
	if !report.OK() || len(report.Tiers) != 3 || report.Tiers[0].Status[Open] != 1 {
		t.Errorf("differences %v, tiers %v; want one open bucket in each tier", report.Differences, report.Tiers)
	}
	if _, err := f.AdvanceSweep(t.Context(), storage.FirstGeneration.Shard(e.Series),
		tier.Hour.BucketAt(e.At).End); err != nil {
		t.Fatal(err)
	}
	report = f.verify(Verifier{}, Scope{Span: Always})
	if report := f.audit(Auditor{}, model.Subject{}); len(report.Suspects) != 1 {
		t.Errorf("suspects %v, want the settled hour without a row", report.Suspects)
	}
	if len(report.Differences) != 1 || report.Differences[0].Status != Missing {
		t.Errorf("differences %v, want the missing hour", report.Differences)
	}
}

type withoutSweeps struct{ Store }

func TestVerify_DeferredTiersNeedLowWatermarks(t *testing.T) {
	kind := *testKind(t)
	kind.Retention = tier.Standard()
	kind.Retention.Tiers = slices.Clone(kind.Retention.Tiers)
	kind.Retention.Tiers[2].Deferred = true
	f := newFixture(t, &kind)
	f.store(eventAt(soon, 0))
	v := Verifier{Store: withoutSweeps{f.Table}, Catalog: f.catalog, Now: f.now}
	if _, err := v.Verify(t.Context(), Scope{Span: Always}); err == nil ||
		!strings.Contains(err.Error(), "no low watermarks") {
		t.Errorf("error %v, want that the store has no low watermarks", err)
	}
}
