package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/jsonscan"
)

// texts are JSON and what is nearly JSON, for tests and as seeds of the fuzzers.
var texts = []string{
	``, ` `, `null`, `nul`, `nulll`, `true`, `tru`, `false`, `falsey`, `"`, `""`, `"a`, `"a"b`, "\"\x1f\"", "\"\t\"", `"\"`, `"\\"`, `"\x"`,
	`"\/\b\f\n\r\t\"\\"`, `"\u00e9"`, `"\u00E9"`, `"\u00g9"`, `"\u00e"`, `"\ud83c\udf0a"`, `"\ud83c"`, `"\udf0a\ud83c"`, `"\ud83cx"`, `"\ud83c\n"`,
	"\"\xff\"", "\"é\"", "\"\xe9\"", `"ends in an escape of eight\u0041"`, `"exactly8"`, `"exactly8\"`, `"é is at once not plain"`,
	`0`, `-0`, `-`, `01`, `1.`, `.5`, `1.5`, `1e5`, `1E+5`, `1e-5`, `1e`, `1e+`, `+1`, `0x1`, `1a`, `NaN`, `Infinity`, `-1.0e-10`, `--1`,
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,2]`, `[`, `]`, `[[[]]]`, `{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{,"a":1}`, `{"a" : 1 , "b":[{}]}`,
	`{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1]`, `{"a":1}}`, "\v1", "\u00a01", "{\"a\":\n\t[1 ,\r2]}", `{"a":1}{"b":2}`, `"a","b"`,
	strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
}

// valid is what encoding/json must come to: one value, and white space.
func valid(b []byte) bool {
	end := jsonscan.Skip(b, jsonscan.Space(b, 0))
	return end != jsonscan.Broken && jsonscan.End(b, end)
}

func TestSkip_TakesForJSONWhatEncodingJSONDoes(t *testing.T) {
	for _, text := range texts {
		if got, want := valid([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%.60q is JSON: %v, encoding/json says %v", text, got, want)
		}
	}
}

func FuzzSkip(f *testing.F) {
	for _, text := range texts {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := valid(b), json.Valid(b); got != want {
			t.Fatalf("%q is JSON: %v, encoding/json says %v", b, got, want)
		}
		checkText(t, b)
	})
}

// checkText holds the first string of b against encoding/json.
func checkText(t testing.TB, b []byte) {
	i := bytes.IndexByte(b, '"')
	if i < 0 {
		return
	}
	raw, end := jsonscan.Text(b, i)
	if end == jsonscan.Broken {
		return
	}
	var want string
	if err := json.Unmarshal(b[i:end], &want); err != nil {
		t.Fatalf("%q is a string, encoding/json says %v", b[i:end], err)
	}
	got, ok := jsonscan.Unescape(nil, raw.Bytes)
	switch {
	case !ok:
		if !strings.Contains(want, "\uFFFD") {
			t.Fatalf("%q is refused, and encoding/json repaired nothing in %q", raw.Bytes, want)
		}
	case string(got) != want:
		t.Fatalf("%q is %q, want %q", raw.Bytes, got, want)
	case !utf8.Valid(got):
		t.Fatalf("%q became %q, which is no UTF-8", raw.Bytes, got)
	case raw.Plain && string(raw.Bytes) != want:
		t.Fatalf("%q is said to be plain, and is %q", raw.Bytes, want)
	}
}

func TestUnescape_SaysWhatEncodingJSONSays(t *testing.T) {
	for _, text := range texts {
		checkText(t, []byte(text))
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		quoted, _ := json.Marshal(text)
		raw, end := jsonscan.Text(quoted, 0)
		got, ok := jsonscan.Unescape(nil, raw.Bytes)
		if end != len(quoted) || !ok || string(got) != text {
			t.Fatalf("%s is %q, %v, up to %d; want %q up to %d", quoted, got, ok, end, text, len(quoted))
		}
	})
}

func TestUnescape_RefusesWhatEncodingJSONRepairs(t *testing.T) {
	for _, raw := range []string{"\xff", "a\xc3", "\xed\xa0\x80", `\ud800`, `\udc00`, `\ud800\ud800`, `\ud800x`, `\ud800\n`, `\udc00\ud800`} {
		if got, ok := jsonscan.Unescape(nil, []byte(raw)); ok {
			t.Errorf("%q is taken for %q", raw, got)
		}
	}
	if got, ok := jsonscan.Unescape(nil, []byte("\uFFFD")); !ok || string(got) != "\uFFFD" {
		t.Errorf("a replacement character that was sent is %q, %v", got, ok)
	}
}

func TestDigits_ReadsWholeNumbersOnly(t *testing.T) {
	for text, want := range map[string]struct {
		n    int64
		next int
	}{
		"0": {0, 1}, "7,": {7, 1}, "1776693600}": {1776693600, 10}, "123456789012345678": {123456789012345678, 18},
		"1234567890123456789": {0, jsonscan.Broken}, "": {0, jsonscan.Broken}, "-1": {0, jsonscan.Broken}, "01": {0, jsonscan.Broken}, "x": {0, jsonscan.Broken},
		"1.5": {1, 1},
	} {
		if n, next := jsonscan.Digits([]byte(text), 0); n != want.n || next != want.next {
			t.Errorf("%q is %d up to %d, want %d up to %d", text, n, next, want.n, want.next)
		}
	}
}

// Names that begin alike, are of every length, and are far more than are remembered.
func TestLeads_AnswerWhatWasLearnedOrNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var leads jsonscan.Leads[string]
		name := rapid.StringMatching(`"[ab]{0,20}[0-9]?":`)
		for range 300 {
			lead := name.Draw(t, "name")
			b := []byte("{" + lead + `1,"and more text behind it, as far as any lead":2}`)
			means, next := leads.Find(b, 1)
			if means == nil {
				leads.Learn(b, 1, 1+len(lead), lead)
				continue
			}
			if *means != lead || next != 1+len(lead) {
				t.Fatalf("%s is taken for %s, up to %d", lead, *means, next)
			}
		}
	})
}

func TestLeads_KnowWhatComesAgainInAnyOrder(t *testing.T) {
	var leads jsonscan.Leads[string]
	names := []string{`"eventID":`, `"eventName":"INSERT"`, `"eventSource":"aws:dynamodb"`, `"eventSourceARN":`, `"v":{"N":"`, `"":`}
	const rest = `"and more text behind it, as far as any lead"`
	for _, name := range names {
		leads.Learn([]byte(name+rest), 0, len(name), name)
	}
	for i := range 100 {
		name := names[i*7%len(names)]
		if means, next := leads.Find([]byte(name+rest), 0); means == nil || *means != name || next != len(name) {
			t.Fatalf("%s is not known", name)
		}
	}
	if means, _ := leads.Find([]byte(`"other":`+rest), 0); means != nil {
		t.Errorf("another name is taken for %s", *means)
	}
}
