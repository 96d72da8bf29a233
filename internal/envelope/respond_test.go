package envelope_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// aHistory is a page of so many events, with a page behind it.
func aHistory(n int) envelope.History {
	next := "the-next+page"
	h := envelope.History{Events: []envelope.Event{}, Next: &next}
	for i := range n {
		at := model.Time(i)
		h.Events = append(h.Events, envelope.Event{At: &at, ID: "x", Fields: envelope.Fields{
			{Name: "note", Value: model.TextValue(`a "b", c`)}, {Name: "t", Value: model.NumberValue(model.MustDecimal("1.50"))},
		}})
	}
	return h
}

// respond answers a request with these headers, names and values in turn.
func respond(t *testing.T, answer any, headers ...string) (events.APIGatewayV2HTTPResponse, error) {
	t.Helper()
	r := &events.APIGatewayV2HTTPRequest{RawQueryString: "limit=2&stream=a%26b&cursor=old", Headers: map[string]string{}}
	for i := 0; i < len(headers); i += 2 {
		r.Headers[headers[i]] = headers[i+1]
	}
	return envelope.Respond(r, answer, envelope.Growing)
}

func TestRespond_InTheFormThatIsAccepted(t *testing.T) {
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
		got, err := respond(t, aHistory(1), "accept", accept)
		if err != nil || got.Headers["Content-Type"] != want[0] || want[1] != "" && got.Body != want[1] {
			t.Errorf("Accept %q: %s %q, %v; want %q", accept, got.Headers["Content-Type"], got.Body, err, want)
		}
	}
	for _, accept := range []string{"image/png", "application/json;q=0", "text/csv;q=0, application/*;q=0"} {
		var told *envelope.Problem
		if _, err := respond(t, aHistory(1), "accept", accept); !errors.As(err, &told) || told.Status != 406 {
			t.Errorf("Accept %q: %v, want 406", accept, err)
		}
	}
	var told *envelope.Problem
	if _, err := respond(t, envelope.Count{}, "accept", "text/csv"); !errors.As(err, &told) || told.Status != 406 {
		t.Errorf("a count as CSV: %v, want 406", err)
	}
}

// A strong tag stands for bytes: another form, another encoding or another answer has
// another tag, and the same answer the same.
func TestRespond_ATagForEachAnswer(t *testing.T) {
	tags := map[string]string{}
	for name, headers := range map[string][]string{
		"json": nil, "csv": {"accept", "text/csv"}, "gzip": {"accept-encoding", "br, gzip"},
	} {
		got, err := respond(t, aHistory(100), headers...)
		tag := got.Headers["ETag"]
		if again, _ := respond(t, aHistory(100), headers...); err != nil || again.Headers["ETag"] != tag {
			t.Errorf("%s: %s and then %s, %v", name, tag, again.Headers["ETag"], err)
		}
		if other := tags[tag]; other != "" {
			t.Errorf("%s stands for %s and %s", tag, name, other)
		}
		tags[tag] = name
		for _, has := range []string{tag, "*", `"other", W/` + tag, strings.Replace(tag, `-gzip"`, `"`, 1)} {
			same, err := respond(t, aHistory(100), append(headers, "If-None-Match", has)...)
			if err != nil || same.StatusCode != 304 || same.Body != "" || same.Headers["ETag"] != tag || same.Headers["Cache-Control"] == "" {
				t.Errorf("%s with If-None-Match %s: %d %q, %v", name, has, same.StatusCode, same.Headers, err)
			}
		}
		if other, _ := respond(t, aHistory(99), append(headers, "If-None-Match", tag)...); other.StatusCode != 200 {
			t.Errorf("%s: another answer is taken for %s", name, tag)
		}
	}
}

func TestRespond_CompressesWhereItIsWelcomeAndPays(t *testing.T) {
	plain, err := respond(t, aHistory(100))
	if err != nil {
		t.Fatal(err)
	}
	for accept, want := range map[string]bool{
		"gzip": true, "br;q=1, gzip;q=0.1": true, "*": true, "GZIP": true,
		"": false, "identity": false, "gzip;q=0": false, "gzip;q=0, *": false, "br": false,
	} {
		got, err := respond(t, aHistory(100), "accept-encoding", accept)
		if err != nil || (got.Headers["Content-Encoding"] == "gzip") != want || got.IsBase64Encoded != want {
			t.Errorf("Accept-Encoding %q: %v, %v; want compressed: %t", accept, got.Headers, err, want)
			continue
		}
		if want && unzipped(t, got.Body) != plain.Body {
			t.Errorf("Accept-Encoding %q: it unpacks to something else", accept)
		}
	}
	if small, err := respond(t, aHistory(1), "accept-encoding", "gzip"); err != nil || small.IsBase64Encoded {
		t.Errorf("a short answer is compressed: %v, %v", small, err)
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

// CSV has no place for a cursor: the link is in a header, whatever the form.
func TestRespond_LinksToTheNextPage(t *testing.T) {
	got, err := respond(t, aHistory(1), "accept", "text/csv")
	link, ok := strings.CutSuffix(strings.TrimPrefix(got.Headers["Link"], "<?"), `>; rel="next"`)
	values, parsed := url.ParseQuery(link)
	if err != nil || !ok || parsed != nil || values.Encode() != "cursor=the-next%2Bpage&limit=2&stream=a%26b" {
		t.Errorf("Link %q, %v, %v", got.Headers["Link"], err, parsed)
	}
	last := aHistory(1)
	last.Next = nil
	if got, err := respond(t, last); err != nil || got.Headers["Link"] != "" {
		t.Errorf("the last page links to %q, %v", got.Headers["Link"], err)
	}
}

func TestRespond_AnAnswerThatNoResponseHolds(t *testing.T) {
	huge := aHistory(1)
	huge.Events[0].ID = strings.Repeat("x", envelope.MaxAnswer)
	if _, err := respond(t, huge); !errors.Is(err, envelope.ErrAnswerSize) {
		t.Errorf("got %v, want %v", err, envelope.ErrAnswerSize)
	}
	if _, err := respond(t, huge, "accept-encoding", "gzip"); err != nil {
		t.Errorf("compressed it fits: %v", err)
	}
}

// The tag of a profile is what a change may be conditional on.
func TestRespond_AProfilesTagIsGoodForIfMatch(t *testing.T) {
	got, err := respond(t, envelope.Profile{Subject: "a", Version: 3})
	r := &events.APIGatewayV2HTTPRequest{Headers: map[string]string{"if-match": got.Headers["ETag"]}}
	version, problem := envelope.Expected(r)
	if err != nil || problem != nil || version != 3 {
		t.Errorf("%s means version %d, %v, %v; want 3", got.Headers["ETag"], version, problem, err)
	}
	for _, wrong := range []string{`"x-3"`, `"-3"`, `"3x"`, `"0-a"`} {
		r.Headers["if-match"] = wrong
		if version, problem := envelope.Expected(r); problem == nil {
			t.Errorf("%s means version %d, want a problem", wrong, version)
		}
	}
}

func TestParseWhere_ReadsATermOneWay(t *testing.T) {
	for text, want := range map[string]string{
		"temperature>20":        `"temperature" > 20`,
		"temperature >= -1.5e3": `"temperature" >= -1500`,
		"t<=7":                  `"t" <= 7`,
		"t<7":                   `"t" < 7`,
		"location=hall":         `"location" = "hall"`,
		`location="12"`:         `"location" = "12"`,
		"ok=true":               `"ok" = true`,
		"note<>":                `"note" <> ""`,
		"note=null":             `"note" = null`,
		"note=a=b":              `"note" = "a=b"`,
		"note exists":           `"note" exists`,
		"note missing":          `"note" missing`,
		"location begins ware":  `"location" begins "ware"`,
		`v begins "12"`:         `"v" begins "12"`,
		"note= missing":         `"note" = "missing"`,
	} {
		if got, err := envelope.ParseWhere(text); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "temperature", ">20", "ok>true", " exists", "t!7"} {
		if got, err := envelope.ParseWhere(text); !errors.Is(err, model.ErrCondition) {
			t.Errorf("%q: %s, %v; want %v", text, got, err, model.ErrCondition)
		}
	}
}
