package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var (
	sampleNow = mustTime("2026-04-20T14:00:01Z")
	sensor    = model.Subject{Type: "DEVICE", ID: "sensor_01"}
)

func mustTime(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFiner)
	if err != nil {
		panic(err)
	}
	return t
}

// stage is the handler on a table in memory.
type stage struct {
	*testing.T
	*handler
	table     *memory.Table
	clock     *atomic.Int64
	logs, out bytes.Buffer
}

func newStage(t *testing.T) *stage { return newStageOn(t, func(m *memory.Table) table { return m }) }

func newStageOn(t *testing.T, over func(*memory.Table) table) *stage {
	t.Helper()
	s := &stage{T: t, clock: &atomic.Int64{}}
	s.clock.Store(int64(sampleNow))
	now := func() model.Time { return model.Time(s.clock.Load()) }
	s.table = memory.New(now)
	h, err := newHandler(config.Default(domains.Kinds()...), over(s.table))
	if err != nil {
		t.Fatal(err)
	}
	noSleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	h.now, h.life.Now, h.purger.Now, h.alerts.Now = now, now, now, now
	h.life.Sleep, h.purger.Sleep = noSleep, noSleep
	h.log, h.metrics = telemetry.NewLogger(&s.logs, nil), &telemetry.Emitter{Out: &s.out, Now: now}
	h.units, h.function = func() (float64, float64) { return 0, 0 }, "purge-test"
	s.handler = h
	return s
}

func (s *stage) sample(name string) string {
	s.Helper()
	payload, err := os.ReadFile(filepath.Join("..", "..", "events", "purge", name+".json"))
	if err != nil {
		s.Fatal(err)
	}
	answer, err := s.Invoke(s.Context(), payload)
	if err != nil {
		return "error: " + err.Error()
	}
	return brief(answer)
}

// brief is an answer in one line: an HTTP status, the verdict or the problem's type.
func brief(answer []byte) string {
	var r events.APIGatewayV2HTTPResponse
	if json.Unmarshal(answer, &r) != nil || r.StatusCode == 0 {
		return string(answer)
	}
	var body struct {
		Type    string
		Verdict string
		Step    string
		Would   []model.PurgeCount
	}
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		return r.Body
	}
	return strings.TrimSpace(fmt.Sprint(r.StatusCode, " ", body.Type, body.Verdict, body.Step, countsText(body.Would)))
}

func countsText(counts []model.PurgeCount) (text string) {
	for _, c := range counts {
		text += fmt.Sprintf("%d %s ", c.Items, c.Class)
	}
	return text
}

func TestSamples(t *testing.T) {
	standing := []string{"create"}
	deleted := []string{"create", "delete"}
	tested := map[string]bool{}
	for _, c := range []struct {
		sample string
		before []string
		want   string
	}{
		{"create", nil, "201 created"},
		{"create", deleted, "409 /problems/deleted"},
		{"create-again", standing, "409 /problems/exists"},
		{"create-nested", nil, "400 /problems/rejected-profile"},
		{"create-reserved", nil, "400 /problems/rejected-profile"},
		{"create-many", nil, "400 /problems/unreadable-body"},
		{"update", standing, "200 updated"},
		{"update-stale", standing, "412 /problems/version-conflict"},
		{"update-of-nothing", standing, "404 /problems/no-such-subject"},
		{"bad-if-match", standing, "412 /problems/version-conflict"},
		{"delete", standing, "200 deleted"},
		{"delete", deleted, "409 /problems/deleted"},
		{"delete-forever", standing, "200 removed"},
		{"restore", deleted, "200 restored"},
		{"restore", standing, "409 /problems/exists"},
		{"restore", nil, "404 /problems/no-such-subject"},
		{"purge", standing, "202 asked"},
		{"purge-dry-run", standing, "200 1 profile 1 versions"},
		{"purge-dry-run-misspelt", standing, "400 /problems/bad-boolean"},
		{"purge-with-grace", standing, "202 asked"},
		{"bad-grace", standing, "400 /problems/unreadable-query"},
		{"call-off", []string{"purge-with-grace"}, "200"},
		{"call-off", nil, "404 /problems/no-purge"},
		{"call-off", []string{"purge", "scheduled"}, "409 /problems/purge-under-way"},
		{"create", []string{"purge", "scheduled"}, "410 /problems/gone"},
		{"rule-add", nil, "200"},
		{"rule-add-own", nil, "200"},
		{"rule-add-own", []string{"purge", "scheduled"}, "400 /problems/rejected-rule"},
		{"rule-rejected", nil, "400 /problems/rejected-rule"},
		{"rule-remove", []string{"rule-add"}, "200"},
		{"rule-remove", nil, "404 /problems/no-such-rule"},
		{"alert-acknowledge", nil, "404 /problems/no-such-alert"},
		{"unknown-subject-type", nil, "404 /problems/not-found"},
		{"wrong-method", nil, "405 /problems/method-not-allowed"},
		{"scheduled", nil, `{"open":0,"done":0}`},
		{"scheduled", []string{"purge-with-grace"}, `{"open":1,"done":0}`},
		{"expiry", nil, `{"batchItemFailures":[]}`},
		{"restored", nil, `{"batchItemFailures":[]}`},
	} {
		s := newStage(t)
		for _, before := range c.before {
			s.sample(before)
		}
		if got := s.sample(c.sample); got != c.want {
			t.Errorf("%s after %v: %s, want %s", c.sample, c.before, got, c.want)
		}
		tested[c.sample] = true
	}
	for _, name := range []string{"direct", "direct-dry-run"} { // by their own tests
		tested[name] = true
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "events", "purge", "*.json"))
	if err != nil || len(files) != len(tested) {
		t.Errorf("%d sample files, %d expectations (%v): want one each", len(files), len(tested), err)
	}
}

func TestDirect_BeginsAPurgeAndTheScheduleEndsIt(t *testing.T) {
	s := newStage(t)
	s.sample("create")
	if got := s.sample("direct-dry-run"); !strings.Contains(got, `"would":[{"class":"profile","items":1`) {
		t.Errorf("a dry run answers %s", got)
	}
	if got := s.sample("direct"); !strings.Contains(got, `"step":"gated"`) {
		t.Errorf("asked directly it answers %s", got)
	}
	for i := range 10 {
		s.clock.Add(time.Minute.Milliseconds())
		if got := s.sample("scheduled"); got == `{"open":1,"done":1}` {
			break
		} else if i == 9 {
			t.Fatalf("after ten minutes the schedule answers %s", got)
		}
	}
	got := s.sample("direct-dry-run")
	items, _, err := s.table.Scan(t.Context(), keys.Key{})
	if err != nil || len(items) != 1 || items[0].Key() != keys.Gate(sensor) || got != "{}" {
		t.Errorf("left are %d items, and a dry run answers %s, %v; want the gate", len(items), got, err)
	}
	for _, metric := range []string{`"PurgesDone":1`, `"ItemsErased":2`, `"OldestDue":`} {
		if !strings.Contains(s.out.String(), metric) {
			t.Errorf("the metrics do not say %s:\n%s", metric, s.out.String())
		}
	}
	if !strings.Contains(s.logs.String(), "purge done") || strings.Contains(s.logs.String(), sensor.ID) {
		t.Errorf("the log must say that it is done, and not of whom:\n%s", s.logs.String())
	}
}

func TestExpiry_TakesVersionsAndValuesOfTheLifeThatEnded(t *testing.T) {
	s := newStage(t)
	life := model.Life{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16} // as the sample has it
	for n := range int64(2) {
		v := model.ProfileVersion{Profile: model.Profile{Subject: sensor, Version: n + 1, Life: life}, Change: model.ProfileCreated}
		if err := s.table.PutItem(t.Context(), item.FromProfileVersion(&v)); err != nil {
			t.Fatal(err)
		}
	}
	s.sample("restored")
	if items, _, _ := s.table.Scan(t.Context(), keys.Key{}); len(items) != 2 {
		t.Errorf("a tombstone that was restored took %d of 2 versions along", 2-len(items))
	}
	s.sample("expiry")
	if items, _, _ := s.table.Scan(t.Context(), keys.Key{}); len(items) != 0 {
		t.Errorf("%d versions are left of a life that ended", len(items))
	}
}

func TestExpiry_ThatCannotBeCleanedUpAfterComesAgain(t *testing.T) {
	s := newStageOn(t, func(m *memory.Table) table {
		return &storetest.Faulty{Store: m, Reads: func(storetest.Call) bool { return true }}
	})
	if got := s.sample("expiry"); got != `{"batchItemFailures":[{"itemIdentifier":"100000000000000000001"}]}` {
		t.Errorf("answers %s, want the record named", got)
	}
	if !strings.Contains(s.out.String(), `"StepFailures":1`) {
		t.Errorf("the failure is not counted: %s", s.out.String())
	}
	if strings.Contains(s.out.String(), `"LivesEnded":1`) {
		t.Errorf("a life that did not end is counted: %s", s.out.String())
	}
}

func TestExpiry_OfATombstoneThatCannotBeReadIsNamed(t *testing.T) {
	s := newStage(t)
	payload, err := os.ReadFile(filepath.Join("..", "..", "events", "purge", "expiry.json"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Replace(payload, []byte(`"B": "AQIDBAUGBwgJCgsMDQ4PEA=="`), []byte(`"S": "damaged"`), 1)
	answer, err := s.Invoke(t.Context(), damaged)
	if want := `{"batchItemFailures":[{"itemIdentifier":"100000000000000000001"}]}`; err != nil || string(answer) != want {
		t.Errorf("answers %s, %v; want %s", answer, err, want)
	}
}

func TestScheduled_ALargePurgeHoldsUpNoOther(t *testing.T) {
	s := newStage(t)
	for i := range 3 {
		subject := model.Subject{Type: "DEVICE", ID: fmt.Sprint(i)}
		if _, err := s.purger.Ask(t.Context(), subject, "ops", 0); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Minute))
	defer cancel()
	i := invocation{s.handler, telemetry.Counts{}}
	if _, err := i.bringOn(ctx); err != nil {
		t.Fatal(err)
	}
	open, err := i.open(t.Context())
	if err != nil || len(open) != 3 {
		t.Fatal(len(open), err)
	}
	for _, p := range open {
		if p.Step != model.PurgeGated {
			t.Errorf("the purge of %s is at %s, want all gated by one invocation", p.Subject, p.Step)
		}
	}
}

// strict is a table that refuses keys as DynamoDB does.
type strict struct{ *memory.Table }

func (s strict) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	return s.Table.GetItem(ctx, k)
}

func (s strict) List(ctx context.Context, l lifecycle.Listing) (lifecycle.ListPage, error) {
	if err := (keys.Key{PK: l.Partition, SK: l.Prefix + "x"}).Check(); err != nil {
		return lifecycle.ListPage{}, err
	}
	return s.Table.List(ctx, l)
}

// What no key can be made of is not there: asking again would not help.
func TestHTTP_AnIDThatFitsNoKeyIsNotFound(t *testing.T) {
	s := newStageOn(t, func(m *memory.Table) table { return strict{m} })
	long := strings.Repeat("x", 2100)
	for _, c := range []struct{ method, path string }{
		{"POST", "/v1/devices/" + long + "/purge"},
		{"POST", "/v1/devices/" + long[:1100] + "/purge"},
		{"DELETE", "/v1/devices/" + long + "/purge"},
		{"PATCH", "/v1/devices/" + long},
		{"DELETE", "/v1/devices/" + long + "/rules/too-hot"},
		{"POST", "/v1/devices/sensor_01/alerts/" + long + "/acknowledge"},
		{"POST", "/v1/devices/" + long + "/alerts/x/resolve"},
	} {
		var r events.APIGatewayV2HTTPRequest
		r.Version, r.RawPath, r.Body, r.RequestContext.HTTP.Method = "2.0", c.path, "{}", c.method
		payload, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Invoke(t.Context(), payload)
		if got := brief(answer); err != nil || !strings.HasPrefix(got, "404 ") || len(answer) > 1000 {
			t.Errorf("%s %.40s…: %.200s, %v; want 404", c.method, c.path, got, err)
		}
	}
}

// A purge that a newer version wrote, say, is an alarm and stops no other.
func TestScheduled_APurgeThatCannotBeReadHoldsUpNoOther(t *testing.T) {
	s := newStage(t)
	for _, id := range []string{"1", "2", "3"} {
		if _, err := s.purger.Ask(t.Context(), model.Subject{Type: "DEVICE", ID: id}, "ops", 0); err != nil {
			t.Fatal(err)
		}
	}
	damaged := item.FromPurge(&model.Purge{Subject: model.Subject{Type: "DEVICE", ID: "2"}})
	delete(damaged, keys.AttrStep)
	if err := s.table.PutItem(t.Context(), damaged); err != nil {
		t.Fatal(err)
	}
	if got := s.sample("scheduled"); got != `{"open":2,"done":0}` {
		t.Errorf("answers %s", got)
	}
	for _, id := range []string{"1", "3"} {
		if p, err := s.purger.Asked(t.Context(), model.Subject{Type: "DEVICE", ID: id}); err != nil || p == nil || p.Step != model.PurgeGated {
			t.Errorf("the purge of %s: %+v, %v; want it gated", id, p, err)
		}
	}
	if !strings.Contains(s.out.String(), `"StepFailures":1`) {
		t.Errorf("the failure is not counted: %s", s.out.String())
	}
}

func TestHTTP_ACallerBoundToAnOwnerChangesItsOwnSubjectsAlone(t *testing.T) {
	s := newStage(t)
	s.owner = "account"
	for path, want := range map[string]string{"/v1/devices/acme:1": "201 created", "/v1/devices/other:1": "403 /problems/foreign-subject", "/v1/devices/acme:2/purge": "202 asked"} {
		var r events.APIGatewayV2HTTPRequest
		r.Version, r.RawPath, r.Body, r.RequestContext.HTTP.Method = "2.0", path, "{}", "PUT"
		if strings.HasSuffix(path, "purge") {
			r.RequestContext.HTTP.Method = "POST"
		}
		r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
			JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"account": "acme", "sub": "u1"}},
		}
		payload, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Invoke(t.Context(), payload)
		if err != nil || brief(answer) != want {
			t.Errorf("%s: %s, %v; want %s", path, brief(answer), err, want)
		}
	}
	asked, err := s.purger.Asked(t.Context(), model.Subject{Type: "DEVICE", ID: "acme:2"})
	if err != nil || asked == nil || asked.By != "u1" {
		t.Errorf("asked by %+v, %v; want the token's subject", asked, err)
	}
}

// What the API lets through is the catalog's routes: each that changes something must
// be found here, as what it says it is.
func TestFind_ServesTheCatalogsRoutes(t *testing.T) {
	s := newStage(t)
	served := map[catalog.Action]bool{}
	for _, r := range s.catalog.AllRoutes() {
		if !r.Action.Changes() {
			continue
		}
		want := asked{subject: model.Subject{Type: r.Kind}, action: r.Action}
		if strings.Contains(r.Path, "{id}") {
			want.subject.ID = "a/b"
		}
		if strings.Contains(r.Path, "{alert}") || strings.Contains(r.Path, "{rule}") {
			want.name = "x"
		}
		var request events.APIGatewayV2HTTPRequest
		request.RawPath, request.RequestContext.HTTP.Method = strings.NewReplacer("{id}", "a/b", "{alert}", "x", "{rule}", "x").Replace(r.Path), r.Method
		found, err := (&invocation{s.handler, nil}).find(&request)
		if err != nil || found.action != want.action || found.subject != want.subject || found.name != want.name || answers[r.Action] == nil {
			t.Errorf("%s %s: found %+v, %v; want %s", r.Method, r.Path, found, err, r.Action)
		}
		served[r.Action] = true
	}
	if len(served) != len(answers) {
		t.Errorf("%d actions are served, want %d", len(served), len(answers))
	}
}

func TestInvoke_APayloadOfNobodyIsAnError(t *testing.T) {
	s := newStage(t)
	for _, payload := range []string{"{}", "[]", "nonsense", `{"subject":"gadgets/1"}`} {
		if answer, err := s.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("%s is answered %s", payload, answer)
		}
	}
	if got := strings.Count(s.out.String(), `"StepFailures":1`); got != 4 {
		t.Errorf("%d of 4 failures are counted", got)
	}
}

func TestTiming_OutlastsWhoeverAppendsAndFolds(t *testing.T) {
	settings := config.Default(domains.Kinds()...)
	got := lifecycle.TimingOf(settings)
	if got.Wait <= settings.Functions.Ingest.Timeout || got.Settle <= settings.Functions.Aggregate.Timeout {
		t.Errorf("timing %+v is shorter than the functions' timeouts", got)
	}
}
