package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const collectSamples = "../../events/collect"

// newCollector returns the function with the web domain, on a table that wrap may replace.
func newCollector(t *testing.T, change func(*config.Config), wrap func(*memory.Table) store) fixture {
	t.Helper()
	conf := config.Default(domains.Kinds()...)
	if change != nil {
		change(conf)
	}
	table := memory.New(now)
	var s store = table
	if wrap != nil {
		s = wrap(table)
	}
	return newFixtureOn(t, conf, s, table)
}

func (f fixture) collect(t *testing.T, name string) (events.APIGatewayV2HTTPResponse, error) {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(collectSamples, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := f.handle(invocation(t, name), payload)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	return response.(events.APIGatewayV2HTTPResponse), nil
}

// views returns the stored page views.
func (f fixture) views(t *testing.T) (all []model.Event) {
	t.Helper()
	items, _, err := f.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if e, err := item.Event(it); err == nil {
			all = append(all, e)
		}
	}
	return all
}

// withSite declares a site that sends without a site key.
func withSite(c *config.Config) { c.Collector.Domains = []string{"my-site.example"} }

// Every sample in events/collect: the response, and the stream of the stored view.
func TestCollector_Samples(t *testing.T) {
	want := map[string]struct {
		status int
		stream string // of the stored view; "none" if none is stored
	}{
		"view":                   {204, ""},
		"view-behind-cloudfront": {204, ""},
		"view-without-referrer":  {204, ""},
		"base64":                 {204, ""},
		"bot":                    {204, web.BotStream},
		"opt-out-gpc":            {204, "none"},
		"opt-out-dnt":            {204, "none"},
		"not-a-view":             {400, "none"},
		"not-json":               {400, "none"},
		"too-large":              {413, "none"},
		"get":                    {405, "none"},
		"unchecked":              {403, "none"},
		"custom-event":           {204, ""},
		"engagement":             {204, ""},
		"too-many-props":         {204, ""},
		"plausible":              {202, ""},
		"plausible-abbreviated":  {202, ""},
		"plausible-unknown-site": {403, "none"},
	}
	files, err := os.ReadDir(collectSamples)
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d samples, %v; want %d", len(files), err, len(want))
	}
	for name, c := range want {
		f := newCollector(t, withSite, nil)
		response, err := f.collect(t, name)
		if err != nil || response.StatusCode != c.status || response.Headers["Access-Control-Allow-Origin"] != "*" {
			t.Errorf("%s: %d %s, %v; want %d, with CORS for any origin", name, response.StatusCode, response.Body, err,
				c.status)
		}
		stored := f.views(t)
		if got := len(stored) > 0; got == (c.stream == "none") || got && stored[0].Series.Stream != c.stream {
			t.Errorf("%s: stored %+v, want stream %q", name, stored, c.stream)
		}
	}
}

func TestCollector_StoresAViewWithoutPersonalData(t *testing.T) {
	f := newCollector(t, nil, nil)
	f.collector.OriginSecrets = secret.Fixed([]byte(originSecret))
	if _, err := f.handle(invocation(t, "view"),
		withHeader(t, sampleView(t, "view"), "X-Tidemark-Origin", originSecret)); err != nil {
		t.Fatal(err)
	}
	stored := f.views(t)
	if len(stored) != 1 {
		t.Fatalf("%d views are stored, want one", len(stored))
	}
	e := stored[0]
	got := map[string]string{}
	for _, a := range e.Attrs {
		got[a.Name] = a.Value.Text
	}
	if e.Series.Subject.ID != "my-site" || e.At != now() || e.ID == "" || e.IndexBy != webfield.Visitor ||
		got["path"] != "/blog/post-1" || got["referrer"] != "news.example.org" || got["country"] != "NO" ||
		got["device"] != "desktop" || got["visitor"] == "" {
		t.Errorf("stored %+v", e)
	}
	f.requireNone(t, "192.0.2.44", "Firefox/", "utm_source=", "item?id")
}

// requireNone fails if a stored attribute or the log contains one of texts.
func (f fixture) requireNone(t *testing.T, texts ...string) {
	t.Helper()
	items, _, err := f.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		for _, it := range items {
			for name, v := range it {
				if strings.Contains(v.S, text) || strings.Contains(string(v.B), text) {
					t.Errorf("%s contains %q from the request", name, text)
				}
			}
		}
		if strings.Contains(f.out.String(), text) {
			t.Errorf("the log contains %q from the request: %s", text, f.out)
		}
	}
}

// onlyEvent returns the stored event and its fields, except for the visitor.
func (f fixture) onlyEvent(t *testing.T) (e model.Event, fields map[string]string) {
	t.Helper()
	all := f.views(t)
	if len(all) != 1 {
		t.Fatalf("%d events are stored, want one", len(all))
	}
	fields = map[string]string{}
	for _, a := range all[0].Attrs {
		fields[a.Name], _ = a.Value.Plain()
	}
	delete(fields, webfield.Visitor)
	return all[0], fields
}

func TestCollector_StoresEventsByTheirName(t *testing.T) {
	for sample, want := range map[string]struct {
		kind, site, fields string
	}{
		"custom-event":          {"CUSTOMEVENT", "my-site", "map[hostname:my-site.example name:Purchase path:/shop prop1:Purchase?plan=pro prop2:Purchase?seats=3 prop3:Purchase?trial=false revenue_EUR:19.9]"},
		"engagement":            {"CUSTOMEVENT", "my-site", "map[depth:35 duration:4200 path:/blog/post-1]"},
		"plausible":             {"CUSTOMEVENT", "my-site.example", "map[hostname:my-site.example name:Signup path:/join prop1:Signup?plan=pro revenue_USD:1322.22]"},
		"plausible-abbreviated": {"PAGEVIEW", "my-site.example", "map[browser:Firefox channel:Direct device:desktop hostname:my-site.example os:Linux path:/blog]"},
	} {
		f := newCollector(t, withSite, nil)
		if response, err := f.collect(t, sample); err != nil || response.StatusCode >= 300 {
			t.Errorf("%s: %d %s, %v", sample, response.StatusCode, response.Body, err)
			continue
		}
		e, fields := f.onlyEvent(t)
		if e.Series.Kind != want.kind || e.Series.Subject.ID != want.site || fmt.Sprint(fields) != want.fields {
			t.Errorf("%s: %s of %s: %v\nwant %+v", sample, e.Series.Kind, e.Series.Subject.ID, fields, want)
		}
	}
}

// send sends a sample with other texts in its body.
func (f fixture) send(t *testing.T, name string, replaced ...string) int {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(collectSamples, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(replaced...).Replace(string(payload))
	response, err := f.handle(invocation(t, name), []byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	return response.(events.APIGatewayV2HTTPResponse).StatusCode
}

func TestCollector_StoresAnEventForEachSiteThatItNames(t *testing.T) {
	for domain, want := range map[string]struct {
		status int
		sites  string
	}{
		"a.com":             {202, "[a.com]"},
		"WWW.A.com.":        {202, "[a.com]"},
		"a.com, b.com":      {202, "[a.com b.com]"},
		"a.com,www.a.com":   {202, "[a.com]"},
		"b.com,unknown.com": {202, "[b.com]"},
		"unknown.com":       {403, "[]"},
	} {
		f := newCollector(t, func(c *config.Config) { c.Collector.Domains = []string{"a.com", "b.com"} }, nil)
		status := f.send(t, "plausible-abbreviated", `\"d\": \"my-site.example\"`, `\"d\": \"`+domain+`\"`)
		sites := []string{}
		for _, e := range f.views(t) {
			sites = append(sites, e.Series.Subject.ID)
		}
		slices.Sort(sites)
		if status != want.status || fmt.Sprint(sites) != want.sites {
			t.Errorf("%s: %d, stored for %v; want %+v", domain, status, sites, want)
		}
	}
}

// A browser that gets no response sends the same bytes again.
func TestCollector_CountsARepeatedHitOnce(t *testing.T) {
	for _, sample := range []string{"custom-event", "engagement"} {
		f := newCollector(t, nil, nil)
		for i := range 3 {
			f.service.Now = func() model.Time { return now().Add(time.Duration(i) * time.Second) }
			if response, err := f.collect(t, sample); err != nil || response.StatusCode != 204 {
				t.Fatalf("%s, time %d: %d, %v; want 204", sample, i+1, response.StatusCode, err)
			}
		}
		if e, _ := f.onlyEvent(t); e.At != 1776693599000 {
			t.Errorf("%s happened at %d, want the browser's time", sample, e.At)
		}
	}
}

func TestCollector_OneBrowserIsOneVisitorForADay(t *testing.T) {
	f := newCollector(t, nil, nil)
	day := model.Time(24 * 60 * 60 * 1000)
	for _, at := range []model.Time{now(), now() + 1, now() + day} {
		f.service.Now = func() model.Time { return at }
		if _, err := f.collect(t, "view"); err != nil {
			t.Fatal(err)
		}
	}
	var visitors []string
	stored := f.views(t)
	slices.SortFunc(stored, func(a, b model.Event) int { return a.Compare(b.Order) })
	for _, e := range stored {
		v, _ := e.Attrs.Get(webfield.Visitor)
		visitors = append(visitors, v.Text)
	}
	if len(visitors) != 3 || visitors[0] != visitors[1] || visitors[1] == visitors[2] {
		t.Errorf("visitors %v, want one for the first day and another for the next", visitors)
	}
}

// A visit that goes on over midnight UTC has one visitor, and one that begins after it another.
func TestCollector_AVisitOverMidnightIsOfOneVisitor(t *testing.T) {
	midnight := model.Time(20_564 * 24 * 60 * 60 * 1000)
	const minute = model.Time(60_000)
	for name, c := range map[string]struct {
		minutes  []model.Time // after midnight
		visitors int
	}{
		"goes on":                {[]model.Time{-10, 5}, 1},
		"goes on for long":       {[]model.Time{-10, 15, 44, 70}, 1},
		"pauses for the gap":     {[]model.Time{-10, 20}, 1},
		"pauses longer":          {[]model.Time{-11, 20}, 2},
		"begins again":           {[]model.Time{-10, 10, 45, 50}, 2},
		"ends two hours later":   {[]model.Time{-10, 15, 44, 70, 95, 119, 125}, 2},
		"of the new day alone":   {[]model.Time{5, 10}, 1},
		"of two days, and apart": {[]model.Time{-200, 200}, 2},
	} {
		f := newCollector(t, withSite, nil)
		for _, m := range c.minutes {
			f.service.Now = func() model.Time { return midnight + m*minute }
			if status := f.send(t, "plausible-abbreviated"); status != 202 {
				t.Fatalf("%s: %d", name, status)
			}
		}
		visitors := map[string]bool{}
		for _, e := range f.views(t) {
			v, _ := e.Attrs.Get(webfield.Visitor)
			visitors[v.Text] = true
		}
		if len(visitors) != c.visitors {
			t.Errorf("%s: %d visitors, want %d", name, len(visitors), c.visitors)
		}
	}
}

// What is not stored is counted, and the response says why.
func TestCollector_CountsBrowsersThatOptOut(t *testing.T) {
	for _, name := range []string{"opt-out-gpc", "opt-out-dnt"} {
		f := newCollector(t, nil, nil)
		response, err := f.collect(t, name)
		if err != nil || response.Headers["Tidemark-Excluded"] != "opt-out" ||
			!strings.Contains(f.out.String(), `"HitsExcluded":1`) {
			t.Errorf("%s: %v, %v; want the header, and one in log and metrics:\n%s",
				name, response.Headers, err, f.out)
		}
	}
}

func TestCollector_IgnoresOptOutIfConfigured(t *testing.T) {
	f := newCollector(t, func(c *config.Config) { c.Collector.HonourOptOut = false }, nil)
	for _, name := range []string{"opt-out-gpc", "opt-out-dnt"} {
		if response, err := f.collect(t, name); err != nil || response.StatusCode != 204 {
			t.Errorf("%s: %d, %v; want 204", name, response.StatusCode, err)
		}
	}
	if n := len(f.views(t)); n != 2 {
		t.Errorf("%d views are stored, want 2", n)
	}
}

// secretless is a table that cannot store a rotating secret.
type secretless struct{ *memory.Table }

func (secretless) PutRotatingSecret(context.Context,
	storage.RotatingSecret) (storage.WriteResult, storage.RotatingSecret, error) {
	return storage.Throttled, storage.RotatingSecret{}, nil
}

func TestCollector_WithoutASecretStoresNothingAndAsksForARetry(t *testing.T) {
	f := newCollector(t, nil, func(m *memory.Table) store { return secretless{m} })
	response, err := f.collect(t, "view")
	var problem struct{ Type string }
	if json.Unmarshal([]byte(response.Body), &problem) != nil || err != nil || response.StatusCode != 503 ||
		problem.Type != "/problems/unavailable" || response.Headers["Retry-After"] == "" {
		t.Errorf("%d %s, %v; want 503 and Retry-After", response.StatusCode, response.Body, err)
	}
	if n := len(f.views(t)); n != 0 {
		t.Errorf("%d views are stored, want none", n)
	}
}
