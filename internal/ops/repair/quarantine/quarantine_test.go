package quarantine_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const now = model.Time(1_793_620_800_000) // 2026-11-02T12:00:00Z

// fixture is a table in memory and a Retrier on it.
type fixture struct {
	*testing.T
	*memory.Table
	catalog *catalog.Catalog
	ingest  *ingest.Service
	retrier *quarantine.Retrier
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	clock := func() model.Time { return now }
	f := &fixture{T: t, Table: memory.New(clock)}
	settings := config.Default(iot.Kinds()...)
	var err error
	if f.catalog, err = settings.Catalog(); err != nil {
		t.Fatal(err)
	}
	f.ingest = &ingest.Service{Store: f.Table, Limits: settings.Limits, Now: clock, Rand: rand.Reader}
	f.retrier = quarantine.NewRetrier(
		f.Table, f.catalog, settings.Limits, f.catalog.Kinds[0].Name, clock, io.Discard)
	return f
}

func (f *fixture) quarantined(q storage.Quarantined) {
	f.Helper()
	if q.ArrivedAt == 0 {
		q.ArrivedAt = now
	}
	if result, err := f.Quarantine(f.Context(), q); err != nil || result != storage.Written {
		f.Fatal(result, err)
	}
}

func (f *fixture) list(filter quarantine.Filter) []quarantine.Entry {
	f.Helper()
	all, err := quarantine.List(f.Context(), f.Table, f.catalog, filter)
	if err != nil {
		f.Fatal(err)
	}
	return all
}

func ids(all []quarantine.Entry) (ids []string) {
	for _, e := range all {
		ids = append(ids, e.ID)
	}
	return ids
}

var device = model.Subject{Type: "DEVICE", ID: "a"}

func TestList_FiltersAndSortsByArrival(t *testing.T) {
	f := newFixture(t)
	f.quarantined(storage.Quarantined{ID: "third", Source: "iot", Subject: device, ArrivedAt: now})
	f.quarantined(storage.Quarantined{ID: "first", Source: "sqs", Subject: device, ArrivedAt: now - 2})
	f.quarantined(storage.Quarantined{ID: "second", Source: "sqs", ArrivedAt: now - 1})
	for _, c := range []struct {
		filter quarantine.Filter
		want   []string
	}{
		{quarantine.Filter{}, []string{"first", "second", "third"}},
		{quarantine.Filter{Source: "sqs"}, []string{"first", "second"}},
		{quarantine.Filter{Subject: device}, []string{"first", "third"}},
		{quarantine.Filter{Subject: device, Source: "kinesis"}, nil},
	} {
		if got := ids(f.list(c.filter)); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.filter, got, c.want)
		}
	}
	all := f.list(quarantine.Filter{})
	if got, err := quarantine.Select(all, []string{"third", "first"}); err != nil ||
		!slices.Equal(ids(got), []string{"third", "first"}) {
		t.Errorf("selected %v, %v", ids(got), err)
	}
	var missing *quarantine.NotFoundError
	if _, err := quarantine.Select(all, []string{"first", "fourth"}); !errors.As(err, &missing) ||
		missing.ID != "fourth" {
		t.Errorf("selected an unknown id: %v", err)
	}
}

func TestRetrier_AppendsObservationsAndRemovesTheirEntry(t *testing.T) {
	f := newFixture(t)
	f.quarantined(storage.Quarantined{ID: "1 right", Source: "iot", Subject: device, Payload: []byte(
		`[{"timestamp":"2026-11-02T10:00:00Z","temperature":1},{"timestamp":"2026-11-02T10:01:00Z","temperature":1}]`)})
	f.quarantined(storage.Quarantined{ID: "2 no time", Source: "iot", Subject: device,
		Payload: []byte(`{"temperature":1}`)})
	f.quarantined(storage.Quarantined{ID: "3 undeclared", Source: "iot", Subject: device,
		Payload: []byte(`{"tidemark_kind":"NOISE"}`)})
	all := f.list(quarantine.Filter{})

	result, err := f.retrier.Retry(t.Context(), &all[0])
	if err != nil || !slices.Equal(result.Outcomes, []model.Outcome{model.Applied}) {
		t.Errorf("right observations: %+v, %v; want applied", result, err)
	}
	var rejected *quarantine.RejectedError
	if _, err := f.retrier.Retry(t.Context(), &all[1]); !errors.As(err, &rejected) ||
		rejected.Outcome != model.Rejected || len(rejected.Errors) == 0 {
		t.Errorf("without a time: %v, want a RejectedError with its reasons", err)
	}
	var undeclared *quarantine.UndeclaredKindError
	if _, err := f.retrier.Retry(t.Context(), &all[2]); !errors.As(err, &undeclared) ||
		undeclared.Kind != "NOISE" {
		t.Errorf("of an undeclared kind: %v", err)
	}
	if got := ids(f.list(quarantine.Filter{})); !slices.Equal(got, []string{"2 no time", "3 undeclared"}) {
		t.Errorf("left %v, want those that failed", got)
	}
	if result, err := f.retrier.Retry(t.Context(), &all[0]); err != nil ||
		result.Outcomes[0] != model.Duplicate {
		t.Errorf("retried twice: %+v, %v; want duplicates", result, err)
	}
}

func TestRetrier_ProcessesRecordsOfTheTableStream(t *testing.T) {
	f := newFixture(t)
	kind := &f.catalog.Kinds[0]
	observation := ingest.DecodeObject(
		[]byte(`{"deviceId":"a","timestamp":"2026-11-02T10:00:00Z","temperature":1}`))
	if _, err := f.ingest.Append(t.Context(), kind, observation); err != nil {
		t.Fatal(err)
	}
	identity := func(kind string) []byte {
		return []byte(`{"what":"inserted","subject":"DEVICE/a","kind":"` + kind +
			`","stream":"","time":"2026-11-02T10:00:00.000Z","id":""}`)
	}
	for id, payload := range map[string][]byte{
		"1 record": []byte(`{"eventID":"e1","eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"DEVICE#a"},` +
			`"sk":{"S":"EVENT#READING##2026-11-02T10:00:00.000Z#"}},"SequenceNumber":"1"}}`),
		"2 identity":   identity("READING"),
		"3 undeclared": identity("NOISE"),
		"4 damaged":    []byte(`{"eventName":"INSERT"}`),
		"5 not JSON":   []byte(`INSERT`),
	} {
		f.quarantined(storage.Quarantined{ID: id, Source: aggregate.StreamSource, Payload: payload})
	}
	all := f.list(quarantine.Filter{})
	for i := range all {
		result, err := f.retrier.Retry(context.Background(), &all[i])
		if i < 2 && (err != nil || result.Changes != 1) || i >= 2 && err == nil {
			t.Errorf("%s: %+v, %v", all[i].ID, result, err)
		}
	}
	if got := ids(f.list(quarantine.Filter{})); len(got) != 3 {
		t.Errorf("left %v, want those that failed", got)
	}
	v := &verify.Verifier{Store: f.Table, Catalog: f.catalog, Now: func() model.Time { return now }}
	if report, err := v.Verify(t.Context(), verify.Scope{Span: verify.Always}); err != nil || !report.OK() ||
		report.Events != 1 {
		t.Errorf("after the retry: %+v, %v; want right rollups", report, err)
	}
}

// A damaged entry is listed for every source, and stays.
func TestRetrier_KeepsADamagedEntry(t *testing.T) {
	f := newFixture(t)
	stored := item.FromQuarantined(&storage.Quarantined{ID: "q", Source: "iot", ArrivedAt: now})
	delete(stored, tablekeys.AttrReason)
	if err := f.PutItem(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	all := f.list(quarantine.Filter{Source: "sqs"})
	if len(all) != 1 || all[0].Damaged == nil {
		t.Fatalf("listed %+v, want the damaged entry", all)
	}
	if _, err := f.retrier.Retry(t.Context(), &all[0]); err == nil ||
		!strings.Contains(err.Error(), all[0].Damaged.Error()) {
		t.Errorf("retried: %v, want %v", err, all[0].Damaged)
	}
}

// What an entry says of its sender is decided. A payload that says otherwise stays, also of an entry of an
// earlier version, which has a subject and no sender.
func TestRetrier_WritesForNoOtherSubjectOrKindThanTheSender(t *testing.T) {
	sender := storage.Sender{Subject: "a", Kind: "READING"}
	for name, c := range map[string]struct {
		subject model.Subject
		sender  storage.Sender
		payload string
		want    bool
	}{
		"its own subject and kind":         {device, sender, `"tidemark_subject":"a","tidemark_kind":"READING"`, true},
		"neither":                          {device, sender, `"temperature":1`, true},
		"another subject":                  {device, sender, `"tidemark_subject":"victim"`, false},
		"another kind":                     {device, sender, `"tidemark_kind":"STATUS"`, false},
		"another subject in the payload":   {device, sender, `"deviceId":"victim"`, false},
		"earlier version, another subject": {device, storage.Sender{}, `"tidemark_subject":"victim"`, false},
		"earlier version, another type":    {model.Subject{Type: "EMPLOYEE", ID: "a"}, storage.Sender{}, `"tidemark_kind":"READING"`, false},
		"earlier version, no subject":      {model.Subject{}, storage.Sender{}, `"deviceId":"victim"`, false},
		"a subject that is in no key":      {model.Subject{}, sender, `"tidemark_subject":"victim"`, false},
	} {
		f := newFixture(t)
		f.quarantined(storage.Quarantined{ID: "1", Source: "iot", Subject: c.subject, Sender: c.sender,
			Payload: []byte(`{"timestamp":"2026-11-02T10:00:00Z",` + c.payload + `}`)})
		all := f.list(quarantine.Filter{})
		if result, err := f.retrier.Retry(t.Context(), &all[0]); (err == nil) != c.want {
			t.Errorf("%s: %+v, %v; want it stored: %v", name, result, err, c.want)
		}
	}
}
