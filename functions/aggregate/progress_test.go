package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestHandler_RecordsProgressAndReportsAGap(t *testing.T) {
	f := newFixture(t)
	progress := func() *aggregate.StreamProgress {
		return &aggregate.StreamProgress{Store: f.table, Now: func() model.Time { return sampleNow },
			MaxAge: 6 * time.Hour}
	}
	f.progress = progress()
	payload := sample(t, "insert")
	if seqs := f.invoke(t, payload); len(seqs) != 0 {
		t.Fatalf("failed: %v", seqs)
	}
	it, err := f.table.GetItem(t.Context(), tablekeys.StreamProgress())
	if err != nil {
		t.Fatal(err)
	}
	at, err := item.StreamProgress(it)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(f.out.String(), "StreamGaps") {
		t.Error("the first batch reported a gap")
	}
	if err := f.table.PutItem(t.Context(), item.FromStreamProgress(at.Add(-48*time.Hour))); err != nil {
		t.Fatal(err)
	}
	f.progress = progress() // another process
	f.invoke(t, payload)
	if !strings.Contains(f.out.String(), `"StreamGaps":1`) ||
		!strings.Contains(f.logs.String(), "gap in the table stream") {
		t.Errorf("metrics %s\nlog %s\nwant the gap in both", f.out.String(), f.logs.String())
	}
	if it, err := f.table.GetItem(t.Context(),
		tablekeys.Gap(at.Add(-54*time.Hour-10*time.Minute))); err != nil || it == nil {
		t.Errorf("the gap is not stored: %v, %v", it, err)
	}
}
