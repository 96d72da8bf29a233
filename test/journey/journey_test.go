// Package journey sends one event through the whole system, from ingest to query, on a table in
// memory, for a kind that is not in the repository but in the tidemark.yaml of the test. It shows
// that any kind works.
package journey

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func now() model.Time { return at("2026-04-20T14:30:00Z") }

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// harbour is the system with the kinds of testdata/tidemark.yaml.
type harbour struct {
	t     *testing.T
	kinds *catalog.Catalog
	table *memory.Table
	in    *ingest.Service
	fold  *aggregate.Aggregator
	out   *query.Service
	seen  uint64
}

func open(t *testing.T) *harbour {
	t.Helper()
	conf, err := configfile.Load("testdata/tidemark.yaml", domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := conf.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	table := memory.New(now)
	live := &query.Live{Store: table, Watermarks: table, Stream: table, Kind: query.CatalogKinds(kinds),
		Now: now}
	return &harbour{
		t: t, kinds: kinds, table: table,
		in:   &ingest.Service{Store: table, Limits: conf.Limits, Now: now, Rand: rand.Reader},
		fold: &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds, Now: now},
		out:  &query.Service{Store: live, Now: now, CursorKey: []byte("a key for tests only")},
	}
}

func (h *harbour) kind(name string) *catalog.Kind {
	h.t.Helper()
	k, ok := h.kinds.Kind(name)
	if !ok {
		h.t.Fatalf("kind %s is not declared", name)
	}
	return k
}

// append sends observations and returns their outcomes.
func (h *harbour) append(kind string, lines ...string) string {
	h.t.Helper()
	observations, err := ingest.DecodeLines([]byte(strings.Join(lines, "\n")), 100)
	if err != nil {
		h.t.Fatal(err)
	}
	appended, err := h.in.Append(h.t.Context(), h.kind(kind), observations...)
	if err != nil {
		h.t.Fatal(err)
	}
	var outcomes []string
	for _, o := range appended {
		outcomes = append(outcomes, string(o.Outcome))
	}
	return strings.Join(outcomes, " ")
}

// settle processes the new records of the table stream as the function does.
func (h *harbour) settle() {
	h.t.Helper()
	what := map[string]storage.ChangeType{memory.Insert: storage.Inserted, memory.Modify: storage.Corrected,
		memory.Remove: storage.Deleted}
	var changes []storage.Change
	for _, record := range h.table.Records(h.seen) {
		h.seen = record.Seq
		if key, err := keys.ParseEvent(record.Keys); err == nil {
			changes = append(changes,
				storage.Change{Type: what[record.Name], Key: key, Seq: strconv.FormatUint(record.Seq, 10), At: record.At})
		}
	}
	if report := h.fold.Process(h.t.Context(), changes); len(report.Failures) > 0 {
		h.t.Fatalf("fold: %+v", report.Failures)
	}
}

func (h *harbour) berth(kind string) query.Series {
	return query.Series{Kind: h.kind(kind), Subject: "north-3"}
}

func mooring(minute int, id, ship, flag, draught string) string {
	return fmt.Sprintf(`{"berthId":"north-3","timestamp":"2026-04-20T12:%02d:00Z","id":%q,"ship":%q,"flag":%q,"draught":%s}`, minute, id, ship, flag, draught)
}

func TestJourney_OfAKindThatIsNotInTheRepository(t *testing.T) {
	h := open(t)
	got := h.append("MOORING",
		mooring(0, "a", "Ilse", "NO", "3.25"),
		mooring(5, "b", "Marja", "FI", "4.5"),
		mooring(5, "b", "Marja", "FI", "4.5"),
		mooring(6, "c", "Ilse", "NO", "null"),
		mooring(7, "d", "Vega", "SE", "2.25"),
		`{"berthId":"north-3","timestamp":"2026-04-20T12:00:00Z","ship":"nameless"}`)
	if want := "applied applied duplicate applied applied rejected"; got != want {
		t.Fatalf("outcomes: %s; want %s", got, want)
	}
	h.settle()
	total, err := h.out.Total(t.Context(),
		query.Rollups{Series: h.berth("MOORING"), Unit: tier.Day, From: model.MinTime, To: model.MaxTime + 1})
	if err != nil {
		t.Fatal(err)
	}
	draught, _ := total.Summary.Measure("draught")
	ships, exact, _ := total.Summary.Distinct("ship")
	if got := fmt.Sprint(total.Summary.Events(), draught.Count, draught.Invalid, draught.Sum, ships,
		exact); got != "4 3 1 10 3 true" {
		t.Errorf("the day has %s, want 4 events, 3 draughts and 1 invalid that sum to 10, 3 ships exactly", got)
	}
	h.requireTop("2 NO 1 FI other 1 exact true")
	if got := h.visits("Ilse"); got != "a c" {
		t.Errorf("visits of Ilse: %s, want a c", got)
	}
}

// requireTop compares the two most frequent flags of all hours.
func (h *harbour) requireTop(want string) {
	h.t.Helper()
	shares, _, err := h.out.Top(h.t.Context(), query.Top{
		Rollups:   query.Rollups{Series: h.berth("MOORING"), Unit: tier.Hour, From: model.MinTime, To: model.MaxTime + 1},
		Dimension: "flag", Values: 2,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	var got strings.Builder
	for _, v := range shares.Values {
		fmt.Fprintf(&got, "%d %s ", v.Count, v.Value)
	}
	fmt.Fprintf(&got, "other %d exact %v", shares.Other, shares.Exact)
	if got.String() != want {
		h.t.Errorf("flags: %s; want %s", got.String(), want)
	}
}

// visits returns the ids of the moorings of a ship, from the index.
func (h *harbour) visits(ship string) string {
	h.t.Helper()
	var ids []string
	for e, err := range h.out.EachIndexed(h.t.Context(), query.IndexQuery{
		Kind: h.kind("MOORING"), Field: "ship", Value: ship, From: model.MinTime, To: model.MaxTime + 1,
	}) {
		if err != nil {
			h.t.Fatal(err)
		}
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, " ")
}

func TestJourney_TwoKindsOfOneSubjectAreReadTogether(t *testing.T) {
	h := open(t)
	h.append("MOORING", mooring(0, "a", "Ilse", "NO", "3"), mooring(1, "b", "Vega", "SE", "4"))
	got := h.append("PATROL",
		`{"berthId":"north-3","timestamp":"2026-04-20T12:10:00Z","lamps":3}`,
		`{"berthId":"north-3","timestamp":"2026-04-20T12:05:00Z","lamps":9}`)
	if got != "applied stale" {
		t.Errorf("outcomes: %s, want applied stale: this kind drops late observations", got)
	}
	h.settle()
	found, err := h.out.Rollups(t.Context(), query.Rollups{
		Series: h.berth("MOORING"), With: []*catalog.Kind{h.kind("PATROL")}, Unit: tier.Hour, From: model.MinTime, To: model.MaxTime + 1,
	})
	if err != nil || len(found.Rollups) != 1 {
		t.Fatalf("%d rollups, %v; want the one hour", len(found.Rollups), err)
	}
	hour := found.Rollups[0]
	if got := fmt.Sprint(hour.Kinds, hour.Summary.Events(), hour.Measure("lamps").Sum,
		hour.Measure("draught").Sum); got != "[{MOORING 2} {PATROL 1}] 3 3 7" {
		t.Errorf("together they have %s", got)
	}
	_, err = h.out.Rollups(t.Context(), query.Rollups{
		Series: h.berth("MOORING"), With: []*catalog.Kind{h.kind("PATROL")}, Unit: tier.Minute, From: model.MinTime, To: model.MaxTime + 1,
	})
	if err == nil {
		t.Error("minutes of both kinds were read, but patrols have none")
	}
}
