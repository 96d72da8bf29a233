package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const samples = "../../events/manage"

var sensor = model.Subject{Type: "DEVICE", ID: "sensor_01"}

func mustTime(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// fixture is the handler on a table in memory.
type fixture struct {
	*testing.T
	*handler
	table     *memory.Table
	clock     *atomic.Int64
	logs, out bytes.Buffer
}

func newFixture(t *testing.T) *fixture {
	return newFixtureOn(t, func(m *memory.Table) store { return m })
}

func newFixtureOn(t *testing.T, wrap func(*memory.Table) store) *fixture {
	t.Helper()
	f := &fixture{T: t, clock: &atomic.Int64{}}
	f.clock.Store(int64(mustTime("2026-04-20T14:00:01Z")))
	now := func() model.Time { return model.Time(f.clock.Load()) }
	f.table = memory.New(now)
	h, err := newHandler(config.Default(domains.Kinds()...), wrap(f.table))
	if err != nil {
		t.Fatal(err)
	}
	noSleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	h.now = now
	h.profiles.Now = now
	h.purges.Now = now
	h.alerts.Now = now
	h.events.Service.Now = now
	h.hider.Now = now
	h.profiles.Sleep, h.purges.Sleep = noSleep, noSleep
	h.log, h.metrics = telemetry.NewLogger(&f.logs, nil), &telemetry.Emitter{Out: &f.out, Now: now}
	h.units, h.function = func() (float64, float64) { return 0, 0 }, "manage-test"
	f.handler = h
	return f
}

// startPurge starts the requested purge of sensor, as function purge does.
func (f *fixture) startPurge() {
	f.Helper()
	purger := &lifecycle.Purger{Store: f.table, Now: f.now, Timing: lifecycle.NewTiming(config.Default())}
	if _, err := purger.Advance(f.Context(), sensor); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) sample(name string) string {
	f.Helper()
	payload, err := os.ReadFile(filepath.Join(samples, name+".json"))
	if err != nil {
		f.Fatal(err)
	}
	return f.invoke(payload)
}

// send sends a request and returns its summary.
func (f *fixture) send(r events.APIGatewayV2HTTPRequest) string {
	f.Helper()
	r.Version = "2.0"
	payload, err := json.Marshal(r)
	if err != nil {
		f.Fatal(err)
	}
	return f.invoke(payload)
}

// invoke returns a response as one line: the status, then the outcome or the problem's type.
func (f *fixture) invoke(payload []byte) string {
	f.Helper()
	text, err := f.Invoke(f.Context(), payload)
	if err != nil {
		f.Fatal(err)
	}
	var r events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(text, &r); err != nil {
		f.Fatal(err)
	}
	if len(r.Body) > 1000 {
		f.Errorf("the response has %d bytes: %.100s…", len(r.Body), r.Body)
	}
	var body struct {
		Type    string
		Outcome string
		Step    string
		Would   []storage.PurgeCount
	}
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		f.Fatalf("body %s: %v", r.Body, err)
	}
	counts := ""
	for _, c := range body.Would {
		counts += fmt.Sprintf("%d %s ", c.Items, c.Class)
	}
	return strings.TrimSpace(fmt.Sprint(r.StatusCode, " ", body.Type, body.Outcome, body.Step, counts))
}

func TestSamples(t *testing.T) {
	created, deleted := []string{"create"}, []string{"create", "delete"}
	const startPurge = "(start purge)"
	tested := map[string]bool{}
	for _, c := range []struct {
		sample string
		before []string
		want   string
	}{
		{"create", nil, "201 created"},
		{"create", deleted, "409 /problems/deleted"},
		{"create-again", created, "409 /problems/exists"},
		{"create-nested", nil, "400 /problems/rejected-profile"},
		{"create-reserved", nil, "400 /problems/rejected-profile"},
		{"create-many", nil, "400 /problems/unreadable-body"},
		{"update", created, "200 updated"},
		{"update-stale", created, "412 /problems/version-conflict"},
		{"update-of-nothing", created, "404 /problems/no-such-subject"},
		{"bad-if-match", created, "412 /problems/version-conflict"},
		{"delete", created, "200 deleted"},
		{"delete", deleted, "409 /problems/deleted"},
		{"delete-forever", created, "200 removed"},
		{"restore", deleted, "200 restored"},
		{"restore", created, "409 /problems/exists"},
		{"restore", nil, "404 /problems/no-such-subject"},
		{"purge", created, "202 requested"},
		{"purge-dry-run", created, "200 1 profile 1 versions 1 list of series"},
		{"purge-dry-run-misspelt", created, "400 /problems/bad-boolean"},
		{"purge-with-grace", created, "202 requested"},
		{"bad-grace", created, "400 /problems/unreadable-query"},
		{"call-off", []string{"purge-with-grace"}, "200"},
		{"call-off", nil, "404 /problems/no-purge"},
		{"call-off", []string{"purge", startPurge}, "409 /problems/purge-under-way"},
		{"create", []string{"purge", startPurge}, "410 /problems/gone"},
		{"event-correct", nil, "404 /problems/no-such-event"},
		{"event-correct", []string{appendReading}, "200 corrected"},
		{"event-correct-stale", []string{appendReading}, "412 /problems/event-changed"},
		{"event-correct-stale", nil, "404 /problems/no-such-event"},
		{"event-correct-rejected", []string{appendReading}, "400 /problems/rejected"},
		{"event-bad-time", []string{appendReading}, "404 /problems/not-found"},
		{"event-delete", []string{appendReading}, "200 deleted"},
		{"event-delete", []string{appendReading, "event-correct"}, "412 /problems/event-changed"},
		{"event-delete", []string{appendReading, "event-delete"}, "404 /problems/no-such-event"},
		{"rule-add", nil, "200"},
		{"rule-add-own", nil, "200"},
		{"rule-add-own", []string{"purge", startPurge}, "400 /problems/rejected-rule"},
		{"rule-rejected", nil, "400 /problems/rejected-rule"},
		{"rule-remove", []string{"rule-add"}, "200"},
		{"rule-remove", nil, "404 /problems/no-such-rule"},
		{"alert-acknowledge", nil, "404 /problems/no-such-alert"},
		{"unknown-subject-type", nil, "404 /problems/not-found"},
		{"wrong-method", nil, "405 /problems/method-not-allowed"},
	} {
		f := newFixture(t)
		for _, before := range c.before {
			switch before {
			case startPurge:
				f.startPurge()
			case appendReading:
				f.appendReading()
			default:
				f.sample(before)
			}
		}
		if got := f.sample(c.sample); got != c.want {
			t.Errorf("%s after %v: got %s, want %s", c.sample, c.before, got, c.want)
		}
		tested[c.sample] = true
	}
	files, err := filepath.Glob(filepath.Join(samples, "*.json"))
	if err != nil || len(files) != len(tested) {
		t.Errorf("%d sample files, %d tested samples (%v): want the same number", len(files), len(tested), err)
	}
}

func TestInvoke_PublishesTheUnitsOfTheInvocation(t *testing.T) {
	f := newFixture(t)
	calls := 0.0
	f.units = func() (float64, float64) { calls++; return 10 * calls, calls }
	f.sample("create")
	if text := f.out.String(); !strings.Contains(text, `"ReadUnits":10`) ||
		!strings.Contains(text, `"WriteUnits":1`) {
		t.Errorf("metrics %s, want 10 read units and 1 write unit", text)
	}
}

func TestInvoke_APayloadThatIsNotAnHTTPRequestIsAnError(t *testing.T) {
	f := newFixture(t)
	for _, payload := range []string{"[]", "nonsense"} {
		if response, err := f.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%s: got %s, want an error", payload, response)
		}
	}
}

// Function manage may request a purge; only function purge carries it out.
func TestPurge_CannotBeCarriedOut(t *testing.T) {
	f := newFixture(t)
	f.sample("create")
	f.sample("purge")
	stored := f.storedKeys()
	for _, k := range stored {
		if left, _, err := f.purges.Store.Erase(f.Context(), []keys.Key{k}); err == nil || len(left) != 1 {
			t.Errorf("Erase of %v left %d items, %v; want an error and the item left", k, len(left), err)
		}
	}
	if after := f.storedKeys(); len(stored) == 0 || !slices.Equal(after, stored) {
		t.Errorf("the table has %v, want %v", after, stored)
	}
}

// storedKeys returns the keys of all items in the table, in order.
func (f *fixture) storedKeys() (stored []keys.Key) {
	f.Helper()
	err := tablescan.Each(f.Context(), f.table, func(it item.Item) error {
		stored = append(stored, it.Key())
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	return stored
}

func subjectPath(c *catalog.Catalog, kind string) string {
	k, _ := c.Kind(kind)
	return k.Subject.Name
}

// The routes of the API are a list. Each that writes must decode to its own action.
func TestDecode_ServesEveryWritingRoute(t *testing.T) {
	f := newFixture(t)
	served := map[httpapi.Action]bool{}
	for _, r := range httpapi.Routes(f.catalog) {
		if !r.Action.Changes() {
			continue
		}
		want := model.Subject{Type: r.Kind}
		if strings.Contains(r.Path, "{id}") {
			want.ID = "a/b"
		}
		name := ""
		if strings.Contains(r.Path, "{alert}") || strings.Contains(r.Path, "{rule}") {
			name = "x"
		}
		if _, isKind := f.catalog.Kind(r.Kind); isKind {
			want.Type = subjectPath(f.catalog, r.Kind)
		}
		path := strings.NewReplacer("{id}", "a/b", "{alert}", "x", "{rule}", "x", "{time}", "2026-04-20T14:00:00Z",
			"{event}", "c/d").Replace(r.Path)
		route := httpapi.NewRouteKey(r.Method, r.AtGateway().Path)
		got, problem := f.decode(&httpapi.Request{Route: route, Method: r.Method, Path: path})
		if problem != nil || got.Action != r.Action || got.Subject() != want ||
			got.Values["alert"]+got.Values["rule"] != name || actions[r.Action] == nil {
			t.Errorf("%s %s: got %+v, %v; want %s", r.Method, r.Path, got, problem, r.Action)
		}
		served[r.Action] = true
	}
	if len(served) != len(actions) {
		t.Errorf("%d actions have routes, %d have handlers: want the same number", len(served), len(actions))
	}
}
