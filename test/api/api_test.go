// Package api tests the HTTP API against its OpenAPI description: every operation of
// /openapi.json is run with its examples on a local stack, and each response must match the
// described schema.
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

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

func TestAPI_EveryExampleHasTheDescribedResponse(t *testing.T) {
	s := start(t)
	kinds := shipped(t)
	d := s.loadDescription(t)
	requireRoutes(t, d)
	prepared := false
	for _, o := range d.operations() {
		if !prepared && !o.appends() {
			s.waitUntilIdle(t)
			s.prepare(t, kinds)
			prepared = true
		}
		s.checkOperation(t, d, o)
	}
	s.checkProblems(t)
}

// checkProblems sends invalid requests and checks the type of each problem.
func (s service) checkProblems(t *testing.T) {
	t.Helper()
	const series = "/v1/devices/device_01/readings"
	var page struct{ Next string }
	a := s.send(t, "GET", series+"?limit=1", nil)
	if err := json.Unmarshal(a.body, &page); err != nil || page.Next == "" {
		t.Fatalf("first page: %s, %v", a.body, err)
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
		if a := s.send(t, "GET", series+query, nil); a.problemType() != "/problems/"+want {
			t.Errorf("%s: %d %s, want %s", query, a.status, a.body, want)
		}
	}
}

// requireRoutes compares the operations with the routes that the gateway accepts.
func requireRoutes(t *testing.T, d *description) {
	t.Helper()
	var want, got []string
	for _, r := range httpapi.Routes(shipped(t)) {
		want = append(want, strings.ToLower(r.Method)+" "+r.Path)
	}
	for _, o := range d.operations() {
		got = append(got, o.method+" "+o.path)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("described:\n%s\nroutes:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// checkOperation runs one operation with its examples. A read is also run in each format,
// conditionally, compressed and with an unknown parameter.
func (s service) checkOperation(t *testing.T, d *description, o operation) {
	t.Helper()
	target, method := o.target(t), strings.ToUpper(o.method)
	bodies := o.bodies()
	if len(bodies) == 0 {
		bodies = [][2]string{{"", ""}}
	}
	for i, body := range bodies {
		a := s.send(t, method, target, []byte(body[1]), "Content-Type", body[0])
		d.requireDescribed(t, o, target, a)
		if !slices.Contains(o.successes(), a.status) {
			t.Errorf("%s, example %d: %s %s returned %d %s; want %v", o.ID, i, method, target, a.status, a.body,
				o.successes())
		}
	}
	for _, query := range o.queries(d) {
		full := target + separator(target) + query
		if o.Query == query {
			continue
		}
		a := s.send(t, method, full, nil)
		d.requireDescribed(t, o, full, a)
		if o.method == "get" && a.status != 200 {
			t.Errorf("%s: %s returned %d %s", o.ID, full, a.status, a.body)
		}
	}
	if o.method == "get" {
		s.checkFormats(t, d, o, target)
		s.checkCaching(t, d, o, target)
		a := s.send(t, method, target+separator(target)+"colour=blue", nil)
		if d.requireDescribed(t, o, "with an unknown parameter",
			a); a.problemType() != "/problems/unknown-parameter" {
			t.Errorf("%s: an unknown parameter returned %d %s", o.ID, a.status, a.body)
		}
	}
}

func separator(target string) string {
	if strings.Contains(target, "?") {
		return "&"
	}
	return "?"
}

// checkFormats requests each described format, and one that does not exist.
func (s service) checkFormats(t *testing.T, d *description, o operation, target string) {
	t.Helper()
	for kind := range o.Responses["200"].Content {
		a := s.send(t, "GET", target, nil, "Accept", kind)
		if a.status != 200 || a.contentType() != kind {
			t.Errorf("%s as %s: %d %s %s", o.ID, kind, a.status, a.contentType(), a.body)
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
	a := s.send(t, "GET", target, nil, "Accept", "image/png")
	if d.requireDescribed(t, o, "as an image", a); a.status != 406 {
		t.Errorf("%s as an image: %d %s", o.ID, a.status, a.body)
	}
}

// checkCaching repeats a request conditionally and with compression.
func (s service) checkCaching(t *testing.T, d *description, o operation, target string) {
	t.Helper()
	plain := s.send(t, "GET", target, nil, "Accept-Encoding", "identity")
	compressed := s.send(t, "GET", target, nil, "Accept-Encoding", "gzip")
	tag := plain.header.Get("ETag")
	if tag == "" || plain.header.Get("Cache-Control") == "" || plain.header.Get("Vary") == "" {
		t.Errorf("%s: headers are %v", o.ID, plain.header)
	}
	cached := s.send(t, "GET", target, nil, "If-None-Match", tag)
	if d.requireDescribed(t, o, "conditionally", cached); cached.status != 304 {
		t.Errorf("%s: If-None-Match %s: %d %s", o.ID, tag, cached.status, cached.header.Get("ETag"))
	}
	if compressed.header.Get("Content-Encoding") != "gzip" {
		if len(compressed.body) >= 1024 {
			t.Errorf("%s: %d bytes are not compressed", o.ID, len(compressed.body))
		}
		return
	}
	r, err := gzip.NewReader(bytes.NewReader(compressed.body))
	if err != nil {
		t.Fatalf("%s: %v", o.ID, err)
	}
	if body, err := io.ReadAll(r); err != nil || !bytes.Equal(body, plain.body) {
		t.Errorf("%s: decompressed body %s, %v; want %s", o.ID, body, err, plain.body)
	}
	if compressed.header.Get("ETag") == tag {
		t.Errorf("%s: %s is also the tag of the compressed body", o.ID, tag)
	}
}
