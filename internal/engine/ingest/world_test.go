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

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// noon is the time of the clock in every test.
const noon = "2026-04-20T12:00:00Z"

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

func clock() model.Time { return at(noon) }

// minute returns a time n minutes after 06:00, in the past of the test clock.
func minute(n int) model.Time { return at("2026-04-20T06:00:00Z").Add(time.Duration(n) * time.Minute) }

// newKind returns the kind READING after change.
func newKind(t testing.TB, change func(*catalog.Kind)) *catalog.Kind {
	t.Helper()
	k := iot.Readings
	change(&k)
	c, err := catalog.New(k)
	if err != nil {
		t.Fatal(err)
	}
	return &c.Kinds[0]
}

func keeping(k *catalog.Kind)       { k.Late = catalog.KeepLate }
func dropping(k *catalog.Kind)      { k.Late = catalog.DropLate }
func withoutLatest(k *catalog.Kind) { k.Latest = catalog.NoLatest }

// seeded is a random source that may be read concurrently.
type seeded struct {
	mu  sync.Mutex
	src *rand.ChaCha8 // guarded by mu
}

func newSeeded(seed int) io.Reader {
	var key [32]byte
	key[0] = byte(seed)
	key[1] = byte(seed >> 8)
	key[2] = byte(seed >> 16)
	key[3] = byte(seed >> 24)
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

// observation returns one reading of sensor_01.
func observation(when model.Time, id string, fields ...model.Attr) ingest.TypedObservation {
	return ingest.TypedObservation{Subject: "sensor_01", At: when, ID: id, Attrs: fields}
}

func num(name string, n int64) model.Attr {
	return model.Attr{Name: name, Value: model.NumberValue(model.NewDecimal(n))}
}

func series(kind *catalog.Kind) model.Series { return kind.Series("sensor_01", "", model.Order{}) }

// appendEach appends one by one, each in a separate call.
func appendEach(t testing.TB, s *ingest.Service, kind *catalog.Kind,
	observations ...ingest.TypedObservation) []model.AppendResult {
	t.Helper()
	var all []model.AppendResult
	for _, d := range observations {
		all = append(all, appendAll(t, s, kind, d)...)
	}
	return all
}

// appendAll appends in one call.
func appendAll(t testing.TB, s *ingest.Service, kind *catalog.Kind,
	observations ...ingest.TypedObservation) []model.AppendResult {
	t.Helper()
	results, err := s.AppendEvents(t.Context(), kind, observations)
	if err != nil {
		t.Fatalf("AppendEvents: %v", err)
	}
	if len(results) != len(observations) {
		t.Fatalf("AppendEvents of %d observations returned %d results", len(observations), len(results))
	}
	return results
}

func listOutcomes(results []model.AppendResult) []model.Outcome {
	var vs []model.Outcome
	for _, o := range results {
		vs = append(vs, o.Outcome)
	}
	return vs
}

func wantOutcomes(t testing.TB, got []model.AppendResult, want ...model.Outcome) {
	t.Helper()
	if !slices.Equal(listOutcomes(got), want) {
		t.Errorf("outcomes: got %v, want %v", listOutcomes(got), want)
	}
}

// scan returns all stored items in the order of their keys.
func scan(t testing.TB, table *memory.Table) []item.Item {
	t.Helper()
	items, next, err := table.Scan(t.Context(), keys.Key{})
	if err != nil || next != (keys.Key{}) {
		t.Fatalf("Scan: %v, more after %v", err, next)
	}
	return items
}

// wantSameStored compares two tables item by item.
func wantSameStored(t testing.TB, got, want *memory.Table) {
	t.Helper()
	a, b := scan(t, want), scan(t, got)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("stored (-want +got):\n%s", cmp.Diff(a, b))
	}
}

func readLatest(t testing.TB, table *memory.Table, s model.Series) *model.Latest {
	t.Helper()
	c, err := table.Latest(t.Context(), s, true)
	if err != nil {
		t.Fatalf("Latest: %v", err)
	}
	return c
}

func readEvents(t testing.TB, table *memory.Table, s model.Series) []model.Event {
	t.Helper()
	var all []model.Event
	r := storage.Range{Series: s, From: model.MinTime, To: model.MaxTime}
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

// set writes an attribute of the latest item, as an enricher does.
func set(t testing.TB, table *memory.Table, s model.Series, name string, v item.Value) {
	t.Helper()
	key := keys.Latest(s)
	it := item.Item{keys.AttrPK: {Type: item.S, S: key.PK}, keys.AttrSK: {Type: item.S, S: key.SK}, name: v}
	if err := table.UpdateItem(t.Context(), it); err != nil {
		t.Fatalf("UpdateItem: %v", err)
	}
}

// setPurgeLock writes a purge lock, as the beginning of a purge does.
func setPurgeLock(t testing.TB, table *memory.Table, s model.Subject) {
	t.Helper()
	key := tablekeys.PurgeLock(s)
	if err := table.PutItem(t.Context(),
		item.Item{keys.AttrPK: {Type: item.S, S: key.PK}, keys.AttrSK: {Type: item.S, S: key.SK}}); err != nil {
		t.Fatalf("PutItem: %v", err)
	}
}
