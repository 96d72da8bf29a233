package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
)

func TestHandler_RecordsProgressAndReportsAGap(t *testing.T) {
	f := newFixture(t)
	f.progress = &aggregate.StreamProgress{Store: f.table}
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
	f.progress = &aggregate.StreamProgress{Store: f.table} // another process
	f.invoke(t, payload)
	if !strings.Contains(f.out.String(), `"StreamGaps":1`) || !strings.Contains(f.logs.String(), "gap in the table stream") {
		t.Errorf("metrics %s\nlog %s\nwant the gap in both", f.out.String(), f.logs.String())
	}
	if it, err := f.table.GetItem(t.Context(), tablekeys.Gap(at.Add(-48*time.Hour))); err != nil || it == nil {
		t.Errorf("the gap is not stored: %v, %v", it, err)
	}
}
