package ingest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func appendIf(t *testing.T, s *ingest.Service, kind *catalog.Kind, d ingest.Draft, where ...ingest.Term) model.Outcome {
	t.Helper()
	o, err := s.AppendIf(t.Context(), kind, d, where)
	if err != nil {
		t.Fatalf("AppendIf: %v", err)
	}
	return o
}

var (
	whenOn = ingest.Term{Field: "mode", Op: ingest.Equal, Value: model.TextValue("on")}
	whenNo = ingest.Term{Field: "mode", Op: ingest.Missing}
)

// modeOn is a reading that turns the mode on.
func modeOn(when model.Time) ingest.Draft {
	return draft(when, "", model.Attr{Name: "mode", Value: model.TextValue("on")})
}

func TestAppend_LateEventLeavesCurrent(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, draft(minute(5), "", num("t", 5)))
	late := appendAll(t, s, kind, draft(minute(3), "", num("t", 3), num("only", 3)))
	wantVerdicts(t, late, model.Late)

	c := currentOf(t, table, series(kind))
	if c.At != minute(5) || !slices.Equal(c.Attrs, model.Attrs{num("t", 5)}) {
		t.Errorf("current: got %+v, want it as the event at %s left it", c, minute(5))
	}
	if late[0].Current == nil || late[0].Current.At != minute(5) {
		t.Errorf("the outcome carries %+v, want current as the refusal showed it", late[0].Current)
	}
	if n := len(eventsOf(t, table, series(kind))); n != 2 {
		t.Errorf("history holds %d events, want both", n)
	}
}

func TestAppend_StaleEventLeavesNothing(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, dropping), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, draft(minute(5), ""))
	wantVerdicts(t, appendAll(t, s, kind, draft(minute(3), "")), model.Stale)
	if n := len(eventsOf(t, table, series(kind))); n != 1 {
		t.Errorf("history holds %d events, want the newer one alone", n)
	}
}

func TestAppend_EqualTimesAreOrderedByID(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	wantVerdicts(t, appendEach(t, s, kind,
		draft(minute(1), "b"), draft(minute(1), "c"), draft(minute(1), "a"), draft(minute(1), "")),
		model.Applied, model.Applied, model.Late, model.Late)
}

func TestAppend_StreamsOfADeviceAreSeriesOfTheirOwn(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	status := draft(minute(1), "")
	status.Stream = "status"
	wantVerdicts(t, appendAll(t, serviceOn(table, 1), kind, draft(minute(5), ""), status), model.Applied, model.Applied)
	if c := currentOf(t, table, kind.Series("sensor_01", "status", model.Order{})); c == nil || c.At != minute(1) {
		t.Errorf("current of stream status: got %+v, want the event at %s", c, minute(1))
	}
}

func TestAppend_ShardsKeepTheirOwnCurrent(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, func(k *catalog.Kind) { k.Shards = 4 }), memory.New(clock)
	var drafts []ingest.Draft
	for i := range 40 {
		drafts = append(drafts, draft(minute(i), ""))
	}
	appendAll(t, serviceOn(table, 1), kind, drafts...)
	total := 0
	for _, s := range kind.ShardsOf(series(kind)) {
		events := eventsOf(t, table, s)
		if c := currentOf(t, table, s); len(events) > 0 && c.Order != events[len(events)-1].Order {
			t.Errorf("shard %d: current %v, want its newest event", s.Shard, c.Order)
		}
		total += len(events)
	}
	if total != len(drafts) {
		t.Errorf("shards hold %d events, want %d", total, len(drafts))
	}
}

func TestAppend_CurrentRemembersItsEventWhenThatHasExpired(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	d := draft(minute(5), "x", num("t", 5))
	appendAll(t, s, kind, d)
	if err := table.DeleteItem(t.Context(), keys.Event(model.EventKey{Series: series(kind), Order: model.Order{At: d.At, ID: d.ID}})); err != nil {
		t.Fatal(err)
	}
	other := draft(minute(5), "x", num("t", 6))
	wantVerdicts(t, appendEach(t, s, kind, d, other), model.Duplicate, model.Collision)
}

func TestAppend_EnrichmentAloneIsNoOrder(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, keeping), memory.New(clock)
	set(t, table, series(kind), "owner", item.Value{Type: item.S, S: "ops"})
	wantVerdicts(t, appendAll(t, serviceOn(table, 1), kind, draft(minute(1), "")), model.Applied)
	if _, ok := currentOf(t, table, series(kind)).Attrs.Get("owner"); !ok {
		t.Error("the first append removed enrichment that was there before it")
	}
}

func TestAppend_GoneWhileTheSubjectIsPurged(t *testing.T) {
	t.Parallel()
	batch := []ingest.Draft{draft(minute(1), "", num("t", 1)), draft(minute(7), ""), draft(minute(3), ""), draft(minute(7), "")}
	gone := slices.Repeat([]model.Verdict{model.Gone}, len(batch))
	t.Run("fenced", func(t *testing.T) {
		t.Parallel()
		kind, table := kindOf(t, keeping), memory.New(clock)
		s := serviceOn(table, 1)
		appendAll(t, s, kind, batch[0])
		set(t, table, series(kind), keys.AttrFence, item.Value{Type: item.Bool, Bool: true})
		wantVerdicts(t, appendAll(t, s, kind, batch...), gone...) // the duplicate among them too
		if n := len(eventsOf(t, table, series(kind))); n != 1 {
			t.Errorf("history holds %d events, want the one from before", n)
		}
	})
	t.Run("gate closed, no current", func(t *testing.T) {
		t.Parallel()
		kind, table := kindOf(t, keeping), memory.New(clock)
		closeGate(t, table, series(kind).Subject)
		wantVerdicts(t, appendAll(t, serviceOn(table, 1), kind, batch...), gone...)
		if n := len(eventsOf(t, table, series(kind))); n != 0 {
			t.Errorf("history holds %d events, want none", n)
		}
	})
}

func TestAppend_WithoutCurrentWritesTheEventAlone(t *testing.T) {
	t.Parallel()
	kind, table := kindOf(t, withoutCurrent), memory.New(clock)
	outcomes := appendAll(t, serviceOn(table, 1), kind,
		draft(minute(5), "", num("t", 1)), draft(minute(3), "", num("t", 1)),
		draft(minute(5), "", num("t", 1)), draft(minute(5), "", num("t", 2)))
	wantVerdicts(t, outcomes, model.Applied, model.Applied, model.Duplicate, model.Collision)
	if c := currentOf(t, table, series(kind)); c != nil || outcomes[0].Current != nil {
		t.Errorf("current: stored %+v, told %+v, want none", c, outcomes[0].Current)
	}
}

func TestAppendIf(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		change func(*catalog.Kind)
		before []ingest.Draft
		draft  ingest.Draft
		where  ingest.Term
		want   model.Verdict
		events int
	}{
		{"newer, condition holds", keeping, []ingest.Draft{modeOn(minute(5))}, draft(minute(6), ""), whenOn, model.Applied, 2},
		{"newer, condition fails", keeping, []ingest.Draft{modeOn(minute(5))}, draft(minute(6), ""), whenNo, model.Conflict, 1},
		{"late kept, condition holds", keeping, []ingest.Draft{modeOn(minute(5))}, draft(minute(4), ""), whenOn, model.Late, 2},
		{"late kept, condition fails", keeping, []ingest.Draft{modeOn(minute(5))}, draft(minute(4), ""), whenNo, model.Conflict, 1},
		{"late dropped, condition holds", dropping, []ingest.Draft{modeOn(minute(5))}, draft(minute(4), ""), whenOn, model.Stale, 1},
		{"late dropped, condition fails", dropping, []ingest.Draft{modeOn(minute(5))}, draft(minute(4), ""), whenNo, model.Conflict, 1},
		{"duplicate before conflict", keeping, []ingest.Draft{modeOn(minute(5))}, modeOn(minute(5)), whenNo, model.Duplicate, 1},
		{"collision before conflict", keeping, []ingest.Draft{modeOn(minute(5))}, draft(minute(5), ""), whenNo, model.Collision, 1},
		{"late duplicate before conflict", keeping, []ingest.Draft{draft(minute(4), ""), modeOn(minute(5))}, draft(minute(4), ""), whenNo, model.Duplicate, 2},
		{"creation, condition holds", keeping, nil, modeOn(minute(5)), whenNo, model.Applied, 1},
		{"creation, condition fails", keeping, nil, modeOn(minute(5)), whenOn, model.Conflict, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kind, table := kindOf(t, c.change), memory.New(clock)
			s := serviceOn(table, 1)
			appendAll(t, s, kind, c.before...)
			if o := appendIf(t, s, kind, c.draft, c.where); o.Verdict != c.want {
				t.Errorf("verdict: got %s, want %s", o.Verdict, c.want)
			}
			if n := len(eventsOf(t, table, series(kind))); n != c.events {
				t.Errorf("history holds %d events, want %d", n, c.events)
			}
		})
	}
}

func TestAppendIf_WithoutCondition(t *testing.T) {
	t.Parallel()
	kind, s := kindOf(t, keeping), serviceOn(memory.New(clock), 1)
	appendAll(t, s, kind, draft(minute(5), ""))
	if o := appendIf(t, s, kind, draft(minute(4), "")); o.Verdict != model.Late {
		t.Errorf("verdict: got %s, want late", o.Verdict)
	}
}

func TestAppendIf_NeedsACurrent(t *testing.T) {
	t.Parallel()
	_, err := serviceOn(memory.New(clock), 1).AppendIf(t.Context(), kindOf(t, withoutCurrent), draft(minute(1), ""), ingest.Condition{whenNo})
	if !errors.Is(err, ingest.ErrNoCurrent) {
		t.Errorf("error: got %v, want ErrNoCurrent", err)
	}
}

func TestAppendIf_RejectsWhatAppendRejects(t *testing.T) {
	t.Parallel()
	o := appendIf(t, serviceOn(memory.New(clock), 1), kindOf(t, keeping), ingest.Draft{At: minute(1)}, whenNo)
	if o.Verdict != model.Rejected || len(o.Errors) != 1 || o.Errors[0].Code != ingest.CodeMissing {
		t.Errorf("outcome of no subject: got %+v, want rejected as missing", o)
	}
}
