package ingest_test

import (
	"context"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// noon is the clock of every test.
const noon = "2026-04-20T12:00:00Z"

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFiner)
	if err != nil {
		panic(err)
	}
	return t
}

func clock() model.Time { return at(noon) }

// minute is n minutes into a morning of the past.
func minute(n int) model.Time { return at("2026-04-20T06:00:00Z").Add(time.Duration(n) * time.Minute) }

// kindOf is READING, changed.
func kindOf(t testing.TB, change func(*catalog.Kind)) *catalog.Kind {
	t.Helper()
	k := iot.Readings
	change(&k)
	c, err := catalog.New(k)
	if err != nil {
		t.Fatal(err)
	}
	return &c.Kinds[0]
}

func keeping(k *catalog.Kind)        { k.Late = catalog.KeepLate }
func dropping(k *catalog.Kind)       { k.Late = catalog.DropLate }
func withoutCurrent(k *catalog.Kind) { k.WithoutCurrent = true }

// seeded is a random source that may be read concurrently.
type seeded struct {
	mu  sync.Mutex
	src *rand.ChaCha8 // guarded by mu
}

func newSeeded(seed int) io.Reader {
	var key [32]byte
	key[0], key[1], key[2], key[3] = byte(seed), byte(seed>>8), byte(seed>>16), byte(seed>>24)
	return &seeded{src: rand.NewChaCha8(key)}
}

func (s *seeded) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.src.Read(p)
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func serviceOn(store ingest.Store, seed int) *ingest.Service {
	return &ingest.Service{
		Store:  store,
		Limits: config.Default().Limits,
		Now:    clock,
		Rand:   newSeeded(seed),
		Sleep:  noSleep,
	}
}

// draft is one reading of sensor_01 with some fields: "a=1 b=2".
func draft(when model.Time, id string, fields ...model.Attr) ingest.Draft {
	return ingest.Draft{Subject: "sensor_01", At: when, ID: id, Attrs: fields}
}

func num(name string, n int64) model.Attr {
	return model.Attr{Name: name, Value: model.NumberValue(model.DecimalOf(n))}
}

func series(kind *catalog.Kind) model.Series { return kind.Series("sensor_01", "", model.Order{}) }

// appendEach appends one by one, each in a call of its own.
func appendEach(t testing.TB, s *ingest.Service, kind *catalog.Kind, drafts ...ingest.Draft) []model.Outcome {
	t.Helper()
	var all []model.Outcome
	for _, d := range drafts {
		all = append(all, appendAll(t, s, kind, d)...)
	}
	return all
}

// appendAll appends in one call.
func appendAll(t testing.TB, s *ingest.Service, kind *catalog.Kind, drafts ...ingest.Draft) []model.Outcome {
	t.Helper()
	outcomes, err := s.AppendEvents(t.Context(), kind, drafts)
	if err != nil {
		t.Fatalf("AppendEvents: %v", err)
	}
	if len(outcomes) != len(drafts) {
		t.Fatalf("AppendEvents of %d drafts answered %d outcomes", len(drafts), len(outcomes))
	}
	return outcomes
}

func verdicts(outcomes []model.Outcome) []model.Verdict {
	var vs []model.Verdict
	for _, o := range outcomes {
		vs = append(vs, o.Verdict)
	}
	return vs
}

func wantVerdicts(t testing.TB, got []model.Outcome, want ...model.Verdict) {
	t.Helper()
	if !slices.Equal(verdicts(got), want) {
		t.Errorf("verdicts: got %v, want %v", verdicts(got), want)
	}
}

// scan is everything stored, in order of the keys.
func scan(t testing.TB, table *memory.Table) []item.Item {
	t.Helper()
	items, next, err := table.Scan(t.Context(), keys.Key{})
	if err != nil || next != (keys.Key{}) {
		t.Fatalf("Scan: %v, more after %v", err, next)
	}
	return items
}

// wantSameStored holds two tables against each other, item by item.
func wantSameStored(t testing.TB, got, want *memory.Table) {
	t.Helper()
	a, b := scan(t, want), scan(t, got)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("stored (-want +got):\n%s", cmp.Diff(a, b))
	}
}

func currentOf(t testing.TB, table *memory.Table, s model.Series) *model.Current {
	t.Helper()
	c, err := table.Current(t.Context(), s, true)
	if err != nil {
		t.Fatalf("Current: %v", err)
	}
	return c
}

func eventsOf(t testing.TB, table *memory.Table, s model.Series) []model.Event {
	t.Helper()
	var all []model.Event
	r := model.Range{Series: s, From: model.MinTime, To: model.MaxTime}
	for {
		page, err := table.Events(t.Context(), r)
		if err != nil {
			t.Fatalf("Events: %v", err)
		}
		all = append(all, page.Events...)
		if r.After = page.Next; r.After == "" {
			return all
		}
	}
}

// set changes attributes of current as somebody else would.
func set(t testing.TB, table *memory.Table, s model.Series, name string, v item.Value) {
	t.Helper()
	key := keys.Current(s)
	it := item.Item{keys.AttrPK: {Type: item.S, S: key.PK}, keys.AttrSK: {Type: item.S, S: key.SK}, name: v}
	if err := table.UpdateItem(t.Context(), it); err != nil {
		t.Fatalf("UpdateItem: %v", err)
	}
}

// closeGate stands in for the beginning of a purge.
func closeGate(t testing.TB, table *memory.Table, s model.Subject) {
	t.Helper()
	key := keys.Gate(s)
	if err := table.PutItem(t.Context(), item.Item{keys.AttrPK: {Type: item.S, S: key.PK}, keys.AttrSK: {Type: item.S, S: key.SK}}); err != nil {
		t.Fatalf("PutItem: %v", err)
	}
}
