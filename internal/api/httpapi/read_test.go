package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// newHistory returns a page of n events that has a next page.
func newHistory(n int) views.History {
	next := "the-next+page"
	h := views.History{Events: []views.Event{}, NextPage: views.NextPage{Next: &next}}
	for i := range n {
		at := model.Time(i)
		h.Events = append(h.Events, views.Event{At: &at, ID: "x", Fields: views.Fields{
			{Name: "note", Value: model.TextValue(`a "b", c`)}, {Name: "t", Value: model.NumberValue(model.MustDecimal("1.50"))},
		}})
	}
	return h
}

// respond returns the response to a request with these headers: alternating names and
// values.
func respond(t *testing.T, result any, headers ...string) (httpapi.Response, error) {
	t.Helper()
	r := &httpapi.Request{RawQuery: "limit=2&stream=a%26b&cursor=old", Headers: map[string]string{}}
	for i := 0; i < len(headers); i += 2 {
		r.Headers[headers[i]] = headers[i+1]
	}
	return httpapi.ReadResponse(r, result, httpapi.MaxAgeOpenBucket)
}

func TestReadResponse_HasTheAcceptedFormat(t *testing.T) {
	lines := `{"at":"1970-01-01T00:00:00.000Z","id":"x","fields":{"note":"a \"b\", c","t":1.5}}` + "\n"
	for accept, want := range map[string][2]string{
		"":                                  {"application/json", `{"events":[` + strings.TrimSpace(lines) + `],"next":"the-next+page"}`},
		"*/*":                               {"application/json", ""},
		"text/html, */*;q=0.1":              {"application/json", ""},
		"text/csv":                          {"text/csv", "at,id,note,t\n1970-01-01T00:00:00.000Z,x,\"a \"\"b\"\", c\",1.5\n"},
		"text/*":                            {"text/csv", ""},
		"application/x-ndjson":              {"application/x-ndjson", lines},
		"application/json;q=0.2, text/csv":  {"text/csv", ""},
		"application/*;q=0, text/csv;q=0.5": {"text/csv", ""},
		"text/csv;q=0, */*":                 {"application/json", ""},
	} {
		got, err := respond(t, newHistory(1), "accept", accept)
		if err != nil || got.Headers["Content-Type"] != want[0] || want[1] != "" && got.Body != want[1] {
			t.Errorf("Accept %q: %s %q, %v; want %q", accept, got.Headers["Content-Type"], got.Body, err, want)
		}
	}
	for _, accept := range []string{"image/png", "application/json;q=0", "text/csv;q=0, application/*;q=0"} {
		var problem *httpapi.Problem
		if _, err := respond(t, newHistory(1), "accept", accept); !errors.As(err, &problem) ||
			problem.Status != 406 {
			t.Errorf("Accept %q: %v, want 406", accept, err)
		}
	}
	var problem *httpapi.Problem
	if _, err := respond(t, views.Count{}, "accept", "text/csv"); !errors.As(err, &problem) ||
		problem.Status != 406 {
		t.Errorf("a count as CSV: %v, want 406", err)
	}
}

// A strong tag identifies bytes: another format, encoding or result has another tag.
func TestReadResponse_EachBodyHasItsOwnTag(t *testing.T) {
	tags := map[string]string{}
	for name, headers := range map[string][]string{
		"json": nil, "csv": {"accept", "text/csv"}, "gzip": {"accept-encoding", "br, gzip"},
	} {
		got, err := respond(t, newHistory(100), headers...)
		tag := got.Headers["ETag"]
		if again, _ := respond(t, newHistory(100), headers...); err != nil || again.Headers["ETag"] != tag {
			t.Errorf("%s: tag %s, then %s (%v); want the same", name, tag, again.Headers["ETag"], err)
		}
		if other := tags[tag]; other != "" {
			t.Errorf("%s is the tag of %s and %s", tag, name, other)
		}
		tags[tag] = name
		for _, header := range []string{tag, "*", `"other", W/` + tag, strings.Replace(tag, `-gzip"`, `"`, 1)} {
			same, err := respond(t, newHistory(100), append(headers, "If-None-Match", header)...)
			if err != nil || same.Status != 304 || same.Body != "" || same.Headers["ETag"] != tag ||
				same.Headers["Cache-Control"] == "" {
				t.Errorf("%s with If-None-Match %s: %d %q, %v", name, header, same.Status, same.Headers, err)
			}
		}
		if other, _ := respond(t, newHistory(99), append(headers, "If-None-Match", tag)...); other.Status != 200 {
			t.Errorf("%s: another result matches the tag %s", name, tag)
		}
	}
}

func TestReadResponse_CompressesLongBodiesIfAccepted(t *testing.T) {
	plain, err := respond(t, newHistory(100))
	if err != nil {
		t.Fatal(err)
	}
	for accept, want := range map[string]bool{
		"gzip": true, "br;q=1, gzip;q=0.1": true, "*": true, "GZIP": true,
		"": false, "identity": false, "gzip;q=0": false, "gzip;q=0, *": false, "br": false,
	} {
		got, err := respond(t, newHistory(100), "accept-encoding", accept)
		if err != nil || (got.Headers["Content-Encoding"] == "gzip") != want || got.Base64 != want {
			t.Errorf("Accept-Encoding %q: %v, %v; want compressed: %t", accept, got.Headers, err, want)
			continue
		}
		if want && unzipped(t, got.Body) != plain.Body {
			t.Errorf("Accept-Encoding %q: the decompressed body differs", accept)
		}
	}
	if small, err := respond(t, newHistory(1), "accept-encoding", "gzip"); err != nil || small.Base64 {
		t.Errorf("a short body is compressed: %v, %v", small, err)
	}
}

func unzipped(t *testing.T, body string) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// CSV cannot contain a cursor, so that the link is a header in every format.
func TestReadResponse_LinksToTheNextPage(t *testing.T) {
	got, err := respond(t, newHistory(1), "accept", "text/csv")
	link, ok := strings.CutSuffix(strings.TrimPrefix(got.Headers["Link"], "<?"), `>; rel="next"`)
	values, parsed := url.ParseQuery(link)
	if err != nil || !ok || parsed != nil || values.Encode() != "cursor=the-next%2Bpage&limit=2&stream=a%26b" {
		t.Errorf("Link %q, %v, %v", got.Headers["Link"], err, parsed)
	}
	last := newHistory(1)
	last.Next = nil
	if got, err := respond(t, last); err != nil || got.Headers["Link"] != "" {
		t.Errorf("the last page links to %q, %v", got.Headers["Link"], err)
	}
}

func TestReadResponse_RejectsABodyAboveTheLimit(t *testing.T) {
	huge := newHistory(1)
	huge.Events[0].ID = strings.Repeat("x", httpapi.MaxResponse)
	if _, err := respond(t, huge); !errors.Is(err, httpapi.ErrResponseSize) {
		t.Errorf("got %v, want %v", err, httpapi.ErrResponseSize)
	}
	if _, err := respond(t, huge, "accept-encoding", "gzip"); err != nil {
		t.Errorf("compressed: %v, want no error", err)
	}
}

func TestReadResponse_TheTagOfAProfileIsValidInIfMatch(t *testing.T) {
	got, err := respond(t, views.Profile{Subject: "a", Version: 3})
	r := &httpapi.Request{Headers: map[string]string{"if-match": got.Headers["ETag"]}}
	version, problem := r.ExpectedVersion()
	if err != nil || problem != nil || version != 3 {
		t.Errorf("%s means version %d, %v, %v; want 3", got.Headers["ETag"], version, problem, err)
	}
	for _, wrong := range []string{`"x-3"`, `"-3"`, `"3x"`, `"0-a"`} {
		r.Headers["if-match"] = wrong
		if version, problem := r.ExpectedVersion(); problem == nil {
			t.Errorf("%s means version %d, want a problem", wrong, version)
		}
	}
}
