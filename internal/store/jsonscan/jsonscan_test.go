package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
)

// texts are valid and nearly valid JSON, for tests and as seeds of the fuzz test.
var texts = []string{
	``, ` `, `null`, `nul`, `nulll`, `true`, `tru`, `false`, `falsey`, `"`, `""`, `"a`, `"a"b`, "\"\x1f\"", "\"\t\"", `"\"`, `"\\"`, `"\x"`,
	`"\/\b\f\n\r\t\"\\"`, `"\u00e9"`, `"\u00E9"`, `"\u00g9"`, `"\u00e"`, `"\ud83c\udf0a"`, `"\ud83c"`, `"\udf0a\ud83c"`, `"\ud83cx"`, `"\ud83c\n"`,
	"\"\xff\"", "\"é\"", "\"\xe9\"", `"ends in an escape of eight\u0041"`, `"exactly8"`, `"exactly8\"`, `"é is not plain from the first byte"`,
	`0`, `-0`, `-`, `01`, `1.`, `.5`, `1.5`, `1e5`, `1E+5`, `1e-5`, `1e`, `1e+`, `+1`, `0x1`, `1a`, `NaN`, `Infinity`, `-1.0e-10`, `--1`,
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,2]`, `[`, `]`, `[[[]]]`, `{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{,"a":1}`, `{"a" : 1 , "b":[{}]}`,
	`{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1]`, `{"a":1}}`, "\v1", "\u00a01", "{\"a\":\n\t[1 ,\r2]}", `{"a":1}{"b":2}`, `"a","b"`,
	strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
	strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
}

// valid reports whether b is one value and white space. json.Valid must return the same.
func valid(b []byte) bool {
	end := jsonscan.Skip(b, jsonscan.Space(b, 0))
	return end != jsonscan.Invalid && jsonscan.End(b, end)
}

func TestSkip_AcceptsExactlyWhatEncodingJSONAccepts(t *testing.T) {
	for _, text := range texts {
		if got, want := valid([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%.60q is valid: %v, for encoding/json %v", text, got, want)
		}
	}
}

func FuzzSkip(f *testing.F) {
	testenv.AddCorpus(f)
	for _, text := range texts {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := valid(b), json.Valid(b); got != want {
			t.Fatalf("%q is valid: %v, for encoding/json %v", b, got, want)
		}
		checkText(t, b)
	})
}

// checkText compares the first string of b with the result of encoding/json.
func checkText(t testing.TB, b []byte) {
	i := bytes.IndexByte(b, '"')
	if i < 0 {
		return
	}
	raw, end := jsonscan.Text(b, i)
	if end == jsonscan.Invalid {
		return
	}
	var want string
	if err := json.Unmarshal(b[i:end], &want); err != nil {
		t.Fatalf("%q is a string, encoding/json returns %v", b[i:end], err)
	}
	got, ok := jsonscan.Unescape(nil, raw.Bytes)
	switch {
	case !ok:
		if !strings.Contains(want, "\uFFFD") {
			t.Fatalf("%q is rejected, but encoding/json replaced nothing in %q", raw.Bytes, want)
		}
	case string(got) != want:
		t.Fatalf("%q is %q, want %q", raw.Bytes, got, want)
	case !utf8.Valid(got):
		t.Fatalf("%q became %q, which is not UTF-8", raw.Bytes, got)
	case raw.Plain && string(raw.Bytes) != want:
		t.Fatalf("%q is reported as plain, but is %q", raw.Bytes, want)
	}
}

func TestUnescape_AgreesWithEncodingJSON(t *testing.T) {
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

func TestUnescape_RejectsWhatEncodingJSONReplaces(t *testing.T) {
	for _, raw := range []string{"\xff", "a\xc3", "\xed\xa0\x80", `\ud800`, `\udc00`, `\ud800\ud800`, `\ud800x`,
		`\ud800\n`, `\udc00\ud800`} {
		if got, ok := jsonscan.Unescape(nil, []byte(raw)); ok {
			t.Errorf("%q is accepted as %q", raw, got)
		}
	}
	if got, ok := jsonscan.Unescape(nil, []byte("\uFFFD")); !ok || string(got) != "\uFFFD" {
		t.Errorf("the replacement character itself is %q, %v", got, ok)
	}
}

func TestDigits_ParsesIntegersOnly(t *testing.T) {
	for text, want := range map[string]struct {
		n    int64
		next int
	}{
		"0": {0, 1}, "7,": {7, 1}, "1776693600}": {1776693600, 10}, "123456789012345678": {123456789012345678, 18},
		"1234567890123456789": {0, jsonscan.Invalid}, "": {0, jsonscan.Invalid}, "-1": {0, jsonscan.Invalid}, "01": {0, jsonscan.Invalid}, "x": {0, jsonscan.Invalid},
		"1.5": {1, 1},
	} {
		if n, next := jsonscan.Digits([]byte(text), 0); n != want.n || next != want.next {
			t.Errorf("%q is %d, next %d; want %d, next %d", text, n, next, want.n, want.next)
		}
	}
}

// The names have similar beginnings, all lengths, and are far more than the cache holds.
func TestMemberCache_ReturnsTheLearnedValueOrNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cache jsonscan.MemberCache[string]
		name := rapid.StringMatching(`"[ab]{0,20}[0-9]?":`)
		for range 300 {
			begin := name.Draw(t, "name")
			b := []byte("{" + begin + `1,"and more text behind it, longer than any beginning":2}`)
			value, next := cache.Find(b, 1)
			if value == nil {
				cache.Learn(b, 1, 1+len(begin), begin)
				continue
			}
			if *value != begin || next != 1+len(begin) {
				t.Fatalf("%s is found as %s, next %d", begin, *value, next)
			}
		}
	})
}

func TestMemberCache_FindsRepeatedMembersInAnyOrder(t *testing.T) {
	var cache jsonscan.MemberCache[string]
	names := []string{`"eventID":`, `"eventName":"INSERT"`, `"eventSource":"aws:dynamodb"`, `"eventSourceARN":`,
		`"v":{"N":"`, `"":`}
	const tail = `"and more text behind it, longer than any beginning"`
	for _, name := range names {
		cache.Learn([]byte(name+tail), 0, len(name), name)
	}
	for i := range 100 {
		name := names[i*7%len(names)]
		if value, next := cache.Find([]byte(name+tail), 0); value == nil || *value != name || next != len(name) {
			t.Fatalf("%s is not found", name)
		}
	}
	if value, _ := cache.Find([]byte(`"other":`+tail), 0); value != nil {
		t.Errorf("another name is found as %s", *value)
	}
}
