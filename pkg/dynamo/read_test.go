package dynamo_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The events of a page stay as they are while further events and pages are decoded.
func TestEvents_KeepsEachEvent(t *testing.T) {
	want := testEvents(20)
	table := respondsWith(200, newPage(want)).table()
	equal := cmp.Comparer(func(a, b model.Decimal) bool { return a == b })
	first, err := table.Events(t.Context(), storage.Range{Series: series, To: noon + 100})
	if err != nil || first.Next != "EVENT#x" {
		t.Fatalf("next %q, %v", first.Next, err)
	}
	if _, err := table.Events(t.Context(), storage.Range{Series: series, To: noon + 100}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, first.Events, equal); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if none, err := respondsWith(200, `{}`).table().Events(t.Context(),
		storage.Range{Series: series, To: noon}); err != nil || none.Events == nil {
		t.Errorf("a page without events is %+v, %v; want an empty list", none, err)
	}
}

// A position is the key of the last item of a page: from the first to the last key of the range.
func TestReads_AcceptEveryPositionInTheRangeOnly(t *testing.T) {
	r := storage.Range{Series: series, From: noon, To: noon + 3600_000}
	lo, hi := tablekeys.EventRange(&r)
	rowLo, rowHi := keys.RowRange(series, tier.Hour, r.From, r.To)
	for name, c := range map[string]struct {
		lo, hi string
		read   func(*fakeServer, storage.Range) error
	}{
		"events": {lo, hi, func(s *fakeServer, r storage.Range) error { _, err := s.table().Events(t.Context(), r); return err }},
		"rows": {rowLo, rowHi, func(s *fakeServer, r storage.Range) error {
			_, err := s.table().Rows(t.Context(), tier.Hour, r)
			return err
		}},
	} {
		for _, after := range []string{c.lo, c.hi} {
			s := respondsWith(200, `{}`)
			r.After = after
			if err := c.read(s, r); err != nil {
				t.Errorf("%s after %q: %v", name, after, err)
			} else if start, _ := s.onlyRequest(t)["ExclusiveStartKey"].(map[string]any); len(start) != 2 {
				t.Errorf("%s after %q: the request begins at %v", name, after, start)
			}
		}
		for _, after := range []string{c.lo[:len(c.lo)-1], c.hi + "a", "A", "z"} {
			s := respondsWith(200, `{}`)
			r.After = after
			if err := c.read(s, r); err == nil || !strings.Contains(err.Error(), "outside the range") ||
				len(s.requests) > 0 {
				t.Errorf("%s after %q: %v after %d requests, want an error and none", name, after, err, len(s.requests))
			}
		}
	}
}

// A reader says how many items it wants, from which end, and whether it needs the newest state.
func TestReads_SendTheLimitAndTheOrder(t *testing.T) {
	for _, c := range []storage.Range{{Limit: 7, Newest: true, Consistent: true}, {Limit: 1}, {}} {
		s := respondsWith(200, `{}`)
		c.Series, c.To = series, noon
		if _, err := s.table().Events(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		sent := s.onlyRequest(t)
		limit, _ := sent["Limit"].(float64)
		if int(limit) != c.Limit || sent["ScanIndexForward"] != !c.Newest ||
			sent["ConsistentRead"] != c.Consistent || sent["ExclusiveStartKey"] != nil {
			t.Errorf("%+v sends %v", c, sent)
		}
	}
}
