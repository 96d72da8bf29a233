package api

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestAPI_AnswersEveryExampleAsDescribed(t *testing.T) {
	s := start(t)
	kinds := shipped(t)
	d := s.described(t)
	requireRoutes(t, d)
	prepared := false
	for _, o := range d.operations() {
		if !prepared && !o.takesObservations() {
			s.settle(t)
			s.prepare(t, kinds)
			prepared = true
		}
		s.try(t, d, o)
	}
	s.tryMistakes(t)
}

// tryMistakes asks wrongly, in each way that has a problem of its own.
func (s service) tryMistakes(t *testing.T) {
	t.Helper()
	const series = "/v1/devices/device_01/readings"
	var page struct{ Next string }
	a := s.ask(t, "GET", series+"?limit=1", nil)
	if err := json.Unmarshal(a.body, &page); err != nil || page.Next == "" {
		t.Fatalf("a first page: %s, %v", a.body, err)
	}
	for query, want := range map[string]string{
		"?colour=blue": "unknown-parameter",
		"?limit=1&cursor=" + page.Next[:len(page.Next)-2] + "AA": "forged-cursor",
		"?limit=1&order=oldest&cursor=" + page.Next:              "foreign-cursor",
		"?limit=1&where=temperature%3E1&cursor=" + page.Next:     "foreign-cursor",
		"?from=2026-04-20T00:00:00Z&to=2026-04-20T00:00:00Z":     "inverted-range",
		"/rollups?from=1990-01-01T00:00:00Z&points=10":           "range-too-long",
		"/rollups?last=5m&from=2026-04-20T00:00:00Z":             "bad-span",
		"/rollups/fortnight":                                     "unknown-tier",
		"?where=temperature":                                     "bad-condition",
		"?limit=0":                                               "bad-limit",
	} {
		if a := s.ask(t, "GET", series+query, nil); a.problem() != "/problems/"+want {
			t.Errorf("%s: %d %s, want %s", query, a.status, a.body, want)
		}
	}
}

// requireRoutes holds the operations against the routes that are let through.
func requireRoutes(t *testing.T, d *description) {
	t.Helper()
	var want, got []string
	for _, r := range shipped(t).AllRoutes() {
		want = append(want, strings.ToLower(r.Method)+" "+r.Path)
	}
	for _, o := range d.operations() {
		got = append(got, o.method+" "+o.path)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("described are\n%s\nand the routes are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// try runs one operation as its examples say, and a read in every other way that all
// reads have.
func (s service) try(t *testing.T, d *description, o operation) {
	t.Helper()
	target, method := o.target(t), strings.ToUpper(o.method)
	bodies := o.bodies()
	if len(bodies) == 0 {
		bodies = [][2]string{{"", ""}}
	}
	for i, body := range bodies {
		a := s.ask(t, method, target, []byte(body[1]), "Content-Type", body[0])
		d.requireDescribed(t, o, target, a)
		if !slices.Contains(o.good(), a.status) {
			t.Errorf("%s, example %d: %s %s answers %d %s; want %v", o.ID, i, method, target, a.status, a.body, o.good())
		}
	}
	for _, query := range o.queries(d) {
		asked := target + joint(target) + query
		if o.Query == query {
			continue
		}
		a := s.ask(t, method, asked, nil)
		d.requireDescribed(t, o, asked, a)
		if o.method == "get" && a.status != 200 {
			t.Errorf("%s: %s answers %d %s", o.ID, asked, a.status, a.body)
		}
	}
	if o.method == "get" {
		s.tryForms(t, d, o, target)
		s.tryAgain(t, d, o, target)
		a := s.ask(t, method, target+joint(target)+"colour=blue", nil)
		if d.requireDescribed(t, o, "with a parameter of nobody", a); a.problem() != "/problems/unknown-parameter" {
			t.Errorf("%s: a parameter of nobody answers %d %s", o.ID, a.status, a.body)
		}
	}
}

func joint(target string) string {
	if strings.Contains(target, "?") {
		return "&"
	}
	return "?"
}

// tryForms asks for the answer in each form that is described, and in one of nobody.
func (s service) tryForms(t *testing.T, d *description, o operation, target string) {
	t.Helper()
	for kind := range o.Responses["200"].Content {
		a := s.ask(t, "GET", target, nil, "Accept", kind)
		if a.status != 200 || a.kind() != kind {
			t.Errorf("%s as %s: %d %s %s", o.ID, kind, a.status, a.kind(), a.body)
		}
		switch kind {
		case "text/csv":
			if rows, err := csv.NewReader(bytes.NewReader(a.body)).ReadAll(); err != nil || len(rows) < 2 {
				t.Errorf("%s as CSV: %d rows, %v: %s", o.ID, len(rows), err, a.body)
			}
		case "application/x-ndjson":
			for line := range bytes.Lines(a.body) {
				if !json.Valid(line) {
					t.Errorf("%s as NDJSON: %s", o.ID, line)
				}
			}
		}
	}
	a := s.ask(t, "GET", target, nil, "Accept", "image/png")
	if d.requireDescribed(t, o, "as a picture", a); a.status != 406 {
		t.Errorf("%s as a picture: %d %s", o.ID, a.status, a.body)
	}
}

// tryAgain asks for what was answered already, plain and compressed.
func (s service) tryAgain(t *testing.T, d *description, o operation, target string) {
	t.Helper()
	plain := s.ask(t, "GET", target, nil, "Accept-Encoding", "identity")
	zipped := s.ask(t, "GET", target, nil, "Accept-Encoding", "gzip")
	tag := plain.header.Get("ETag")
	if tag == "" || plain.header.Get("Cache-Control") == "" || plain.header.Get("Vary") == "" {
		t.Errorf("%s: headers are %v", o.ID, plain.header)
	}
	again := s.ask(t, "GET", target, nil, "If-None-Match", tag)
	if d.requireDescribed(t, o, "a second time", again); again.status != 304 {
		t.Errorf("%s: asked again with %s: %d %s", o.ID, tag, again.status, again.header.Get("ETag"))
	}
	if zipped.header.Get("Content-Encoding") != "gzip" {
		if len(zipped.body) >= 1024 {
			t.Errorf("%s: %d bytes are not compressed", o.ID, len(zipped.body))
		}
		return
	}
	r, err := gzip.NewReader(bytes.NewReader(zipped.body))
	if err != nil {
		t.Fatalf("%s: %v", o.ID, err)
	}
	if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, plain.body) {
		t.Errorf("%s: compressed it says %s, %v; plain %s", o.ID, body, err, plain.body)
	}
	if zipped.header.Get("ETag") == tag {
		t.Errorf("%s: %s stands for the compressed bytes too", o.ID, tag)
	}
}
