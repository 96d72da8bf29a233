package faults

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Events written without validation, with values that no measure accepts. The valid event of the
// hour is counted, and each invalid one is reported.
func TestPoison_InvalidValuesAreCountedAndBlockNothing(t *testing.T) {
	for name, c := range map[string]struct {
		value      item.Value
		invalid    int64
		unreadable int64
	}{
		"unparsable text":             {item.Value{Type: item.S, S: "warm"}, 1, 0},
		"NaN as text":                 {item.Value{Type: item.S, S: "NaN"}, 1, 0},
		"infinity as text":            {item.Value{Type: item.S, S: "-Infinity"}, 1, 0},
		"null":                        {item.Value{Type: item.Null}, 1, 0},
		"a boolean":                   {item.Value{Type: item.Bool, Bool: true}, 1, 0},
		"38 digits, far too large":    {item.Value{Type: item.N, S: strings.Repeat("9", 38) + "E+87"}, 1, 0},
		"the smallest number":         {item.Value{Type: item.N, S: "1E-130"}, 0, 0},
		"binary, which is never sent": {item.Value{Type: item.B, B: []byte{1}}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.put(ten, "", "1")
			odd := w.event(w.key("d", half, "odd"), "0")
			it := item.FromEvent(&odd)
			it["value"] = c.value
			if err := w.PutItem(w.ctx(), it); err != nil {
				t.Fatal(err)
			}
			w.deliver(w.mapping(w.stream(), aggregateFunction(w.aggregator(w.Table))))
			w.wantRecount()
			for _, u := range tiers {
				row := w.row(u, ten)
				m, _ := row.Summary.Measure("value")
				if m.Invalid != c.invalid || row.Unreadable != c.unreadable || m.Max.String() != "1" ||
					row.Exact != (c.unreadable == 0) {
					t.Errorf("%s: %d invalid, %d unreadable, max %s, exact %v; want %d, %d, 1, %v",
						u, m.Invalid, row.Unreadable, m.Max, row.Exact, c.invalid, c.unreadable, c.unreadable == 0)
				}
			}
		})
	}
}

// A record without a readable bucket is quarantined once, and the records around it are processed.
func TestPoison_UnreadableRecordsAreQuarantinedAndTheShardContinues(t *testing.T) {
	for name, spoil := range map[string]func(body string) string{
		"an unknown event name":   func(s string) string { return strings.Replace(s, `"INSERT"`, `"RENAME"`, 1) },
		"no keys":                 func(s string) string { return strings.Replace(s, `"Keys"`, `"Locks"`, 1) },
		"a key of the wrong type": func(s string) string { return strings.Replace(s, `"pk":{"S":`, `"pk":{"SS":`, 1) },
		"an invalid time":         func(s string) string { return strings.ReplaceAll(s, "T10:30", "T25:30") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.put(ten, "", "1")
			w.put(half, "", "9")
			w.put(eleven, "", "5")
			source := &spoilt{tableStream: w.stream(), record: 1, spoil: spoil}
			m := w.mapping(source, aggregateFunction(w.aggregator(w.Table)))
			m.Settings.Filter = nil // the filter might drop it
			w.deliver(m)
			w.wantRow(tier.Hour, eleven, 1, "5", true)
			kept := 0
			for _, it := range w.items() {
				if q, err := item.Quarantined(it); err == nil && len(q.Payload) > 0 && q.Reason != "" {
					kept++
				}
			}
			if kept != 1 {
				t.Errorf("%d records quarantined, want 1", kept)
			}
		})
	}
}

// spoilt is a table stream with one unreadable record.
type spoilt struct {
	*tableStream
	record int
	spoil  func(string) string
}

func (s *spoilt) Read(ctx context.Context, shard, after string) (eventsource.Page, error) {
	page, err := s.tableStream.Read(ctx, shard, after)
	for i, r := range page.Records {
		if r.Seq == sequenceNumber(memory.Record{Seq: uint64(s.record + 1)}) {
			page.Records[i].Body = []byte(s.spoil(string(r.Body)))
		}
	}
	return page, err
}

// The largest valid values, for an hour of a device that sends every second.
func TestLargest_SumsOfSquaresOfAnHourOfExtremesAreExact(t *testing.T) {
	w := newWorld(t)
	const value = "999999999999999"
	for i := range 3600 {
		k := w.key("d", ten, "")
		k.At = k.At.Add(time.Duration(i) * time.Second)
		reply, err := w.Put(w.ctx(), w.event(k, value))
		w.wantWritten("put", reply.Result, err)
	}
	w.settle()
	m, _ := w.row(tier.Month, ten).Summary.Measure("value")
	want := new(big.Int).Mul(big.NewInt(999999999999999), big.NewInt(3600))
	if m.Sum.Cmp(model.MustDecimal(want.String())) != 0 {
		t.Errorf("sum %s, want %s", m.Sum, want)
	}
	if dev, ok := m.Stddev(); !ok || dev != 0 {
		t.Errorf("standard deviation %v of equal values, want 0", dev)
	}
	w.wantRecount()
}

// A coarser row is computed from finer ones and receives more changes: the finer rows do not change.
func TestFold_DoesNotChangeTheRowsThatItReads(t *testing.T) {
	w := newWorld(t)
	eventOf := func(when string) *model.Event {
		e := w.event(w.key("d", when, ""), "20")
		return &e
	}
	hour := rollup.NewFold(w.kind.Spec())
	hour.AddEvent(eventOf(ten))
	before := newSaid(hour)
	day := rollup.NewFold(w.kind.Spec())
	day.AddRow(&rollup.Row{Fold: *hour})
	day.AddEvent(eventOf(eleven))
	day.AddRow(&rollup.Row{Fold: *hour})
	if after := newSaid(hour); after != before {
		t.Errorf("the hour is %s after it was folded, want %s", after, before)
	}
	m, _ := day.Summary.Measure("value")
	if again, _ := hour.Summary.Measure("value"); m.Count != 3 || again.Count != 1 {
		t.Errorf("the day has %d values and the hour %d, want 3 and 1", m.Count, again.Count)
	}
}
