package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const collectSamples = "../../events/collect"

// collecting is the function with the web domain.
func collecting(t *testing.T, change func(*config.Config)) world {
	t.Helper()
	w := newWorld(t)
	conf := config.Default(domains.Kinds()...)
	if change != nil {
		change(conf)
	}
	h, err := newHandler(conf, w.kind, web.PageViews.Name, w.table, w.reporter)
	if err != nil {
		t.Fatal(err)
	}
	h.service.Now, h.service.Sleep = now, w.service.Sleep
	w.handler = h
	return w
}

func (w world) collected(t *testing.T, name string) (events.APIGatewayV2HTTPResponse, error) {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(collectSamples, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := w.handle(asked(t, name), payload)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	return answer.(events.APIGatewayV2HTTPResponse), nil
}

// views are the stored page views.
func (w world) views(t *testing.T) (all []model.Event) {
	t.Helper()
	items, _, err := w.table.Scan(t.Context(), keys.Key{})
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

// Each sample under events/collect: the answer, and the stream of what is stored.
func TestCollect_Samples(t *testing.T) {
	want := map[string]struct {
		status int
		stream string // of the one view that is stored; "none" where none is
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
	}
	files, err := os.ReadDir(collectSamples)
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d samples, %v; want %d", len(files), err, len(want))
	}
	for name, c := range want {
		w := collecting(t, nil)
		answer, err := w.collected(t, name)
		if err != nil || answer.StatusCode != c.status || answer.Headers["Access-Control-Allow-Origin"] != "*" {
			t.Errorf("%s: %d %s, %v; want %d, readable from any origin", name, answer.StatusCode, answer.Body, err, c.status)
		}
		stored := w.views(t)
		if got := len(stored) > 0; got == (c.stream == "none") || got && stored[0].Series.Stream != c.stream {
			t.Errorf("%s: stored %+v, want stream %q", name, stored, c.stream)
		}
	}
}

func TestCollect_StoresAViewAndNobodysName(t *testing.T) {
	w := collecting(t, nil)
	if _, err := w.collected(t, "view"); err != nil {
		t.Fatal(err)
	}
	stored := w.views(t)
	if len(stored) != 1 {
		t.Fatalf("%d views are stored, want one", len(stored))
	}
	e := stored[0]
	got := map[string]string{}
	for _, a := range e.Attrs {
		got[a.Name] = a.Value.Text
	}
	if e.Series.Subject.ID != "my-site" || e.At != now() || e.ID == "" || e.IndexBy != web.FieldVisitor ||
		got["path"] != "/blog/post-1" || got["referrer"] != "news.example.org" || got["country"] != "NO" || got["device"] != "desktop" || got["visitor"] == "" {
		t.Errorf("stored %+v", e)
	}
	w.requireNothingOf(t, "192.0.2.44", "Firefox", "utm_source", "item?id")
}

// requireNothingOf looks for texts in every stored attribute, and in the log.
func (w world) requireNothingOf(t *testing.T, texts ...string) {
	t.Helper()
	items, _, err := w.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		for _, it := range items {
			for name, v := range it {
				if strings.Contains(v.S, text) || strings.Contains(string(v.B), text) {
					t.Errorf("%s holds %q of the request", name, text)
				}
			}
		}
		if strings.Contains(w.out.String(), text) {
			t.Errorf("the log holds %q of the request: %s", text, w.out)
		}
	}
}

func TestCollect_OneBrowserIsOneVisitorForADay(t *testing.T) {
	w := collecting(t, nil)
	day := model.Time(24 * 60 * 60 * 1000)
	for _, at := range []model.Time{now(), now() + 1, now() + day} {
		w.service.Now = func() model.Time { return at }
		if _, err := w.collected(t, "view"); err != nil {
			t.Fatal(err)
		}
	}
	var visitors []string
	stored := w.views(t)
	slices.SortFunc(stored, func(a, b model.Event) int { return a.Compare(b.Order) })
	for _, e := range stored {
		v, _ := e.Attrs.Get(web.FieldVisitor)
		visitors = append(visitors, v.Text)
	}
	if len(visitors) != 3 || visitors[0] != visitors[1] || visitors[1] == visitors[2] {
		t.Errorf("visitors %v, want one for the first day and another for the next", visitors)
	}
}

func TestCollect_TheSwitchDecidesWhetherOptOutIsHonoured(t *testing.T) {
	w := collecting(t, func(c *config.Config) { c.Collector.HonourOptOut = false })
	for _, name := range []string{"opt-out-gpc", "opt-out-dnt"} {
		if answer, err := w.collected(t, name); err != nil || answer.StatusCode != 204 {
			t.Errorf("%s: %d, %v", name, answer.StatusCode, err)
		}
	}
	if n := len(w.views(t)); n != 2 {
		t.Errorf("with the switch off %d views are stored, want 2", n)
	}
}

// saltless is a table that cannot keep a salt.
type saltless struct{ table }

func (saltless) PutSalt(context.Context, model.Salt) (model.Answer, model.Salt, error) {
	return model.Throttled, model.Salt{}, nil
}

func TestCollect_WithoutASaltNothingIsStoredAndItMayBeSentAgain(t *testing.T) {
	w := collecting(t, nil)
	w.collector.salts.Store = saltless{w.table}
	answer, err := w.collected(t, "view")
	var problem struct{ Type string }
	if json.Unmarshal([]byte(answer.Body), &problem) != nil || err != nil || answer.StatusCode != 503 || problem.Type != "/problems/unavailable" || answer.Headers["Retry-After"] == "" {
		t.Errorf("%d %s, %v; want 503 and Retry-After", answer.StatusCode, answer.Body, err)
	}
	if n := len(w.views(t)); n != 0 {
		t.Errorf("%d views are stored", n)
	}
}
