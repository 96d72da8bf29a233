package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestHandler_MovesTheWatermarkAndTellsAGap(t *testing.T) {
	s := newStage(t)
	s.watermark = &aggregate.Watermark{Store: s.table}
	payload := sample(t, "insert")
	if seqs := s.invoke(t, payload); len(seqs) != 0 {
		t.Fatalf("failed: %v", seqs)
	}
	it, err := s.table.GetItem(t.Context(), keys.Watermark())
	if err != nil {
		t.Fatal(err)
	}
	at, err := item.Watermark(it)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.out.String(), "StreamGaps") {
		t.Error("a first batch told a gap")
	}
	if err := s.table.PutItem(t.Context(), item.FromWatermark(at.Add(-48*time.Hour))); err != nil {
		t.Fatal(err)
	}
	s.watermark = &aggregate.Watermark{Store: s.table} // another process
	s.invoke(t, payload)
	if !strings.Contains(s.out.String(), `"StreamGaps":1`) || !strings.Contains(s.logs.String(), "gap in the table stream") {
		t.Errorf("metrics %s\nlog %s\nwant the gap in both", s.out.String(), s.logs.String())
	}
	if it, err := s.table.GetItem(t.Context(), keys.Gap(at.Add(-48*time.Hour))); err != nil || it == nil {
		t.Errorf("the gap is not kept: %v, %v", it, err)
	}
}
