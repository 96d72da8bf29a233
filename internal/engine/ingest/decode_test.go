package ingest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// errorCodes returns the codes of decode errors, "" for observations without one.
func errorCodes(observations []ingest.Observation) []string {
	codes := []string{}
	for _, o := range observations {
		if o.DecodeError == nil {
			codes = append(codes, "")
		} else {
			codes = append(codes, o.DecodeError.Code)
		}
	}
	return codes
}

func TestDecodeBody(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, body string
		want       []string // codes of decode errors
		many       bool
		err        error
	}{
		{"object", ` {"a":1} `, []string{""}, false, nil},
		{"array", `[{"a":1},{"b":2}]`, []string{"", ""}, true, nil},
		{"empty array", `[]`, []string{}, true, nil},
		{"array of all sorts", `[{"a":1},5,null,[],"x",{"a":1,"a":2}]`,
			[]string{"", "not-an-object", "not-an-object", "not-an-object", "not-an-object", ""},
			true, nil},
		{"empty", ` `, nil, false, ingest.ErrEmptyBody},
		{"not JSON", `deviceId=1`, nil, false, ingest.ErrNotJSON},
		{"number", `5`, nil, false, ingest.ErrNotObject},
		{"NaN", `{"a":NaN}`, []string{""}, false, nil},
		{"NaN in an array", `[{"a":1},{"a":NaN}]`, []string{"", ""}, true, nil},
		{"word like NaN", `{"a":NaNN}`, nil, false, ingest.ErrNotJSON},
		{"array cut off", `[{"a":1}`, nil, true, ingest.ErrNotJSON},
		{"comma at the end", `[{"a":1},]`, nil, true, ingest.ErrNotJSON},
		{"two arrays", `[] []`, nil, true, ingest.ErrNotJSON},
		{"lines sent as JSON", "{\"a\":1}\n{\"a\":2}", nil, false, ingest.ErrNotJSON},
		{"one too many", `[{},{},{},{},{},{},{}]`, nil, true, ingest.ErrTooMany},
		{"a million open brackets", strings.Repeat("[", 1<<20), nil, true, ingest.ErrNotJSON},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, many, err := ingest.DecodeBody([]byte(c.body), 6)
			if !errors.Is(err, c.err) || err == nil && (!slices.Equal(errorCodes(got), c.want) || many != c.many) {
				t.Errorf("got %q, many %t, error %v; want %q, many %t, error %v", errorCodes(got), many, err, c.want,
					c.many, c.err)
			}
		})
	}
}

func TestDecodeLines_RejectsOnlyTheBadLine(t *testing.T) {
	t.Parallel()
	body := "{\"a\":1}\n\n  {\"a\":Nan}\r\n5\n{\"a\":2}"
	got, err := ingest.DecodeLines([]byte(body), 4)
	if want := []string{"", "not-json", "not-an-object", ""}; err != nil ||
		!slices.Equal(errorCodes(got), want) {
		t.Fatalf("got %q, error %v; want %q", errorCodes(got), err, want)
	}
	for i, line := range map[int]string{1: "line 3:", 2: "line 4:"} {
		if !strings.HasPrefix(got[i].DecodeError.Message, line) {
			t.Errorf("message %q: want it to begin with %q", got[i].DecodeError.Message, line)
		}
	}
}

func TestDecodeLines_RejectsEmptyAndTooLongBodies(t *testing.T) {
	t.Parallel()
	if _, err := ingest.DecodeLines([]byte(" \n\r\n"), 4); !errors.Is(err, ingest.ErrEmptyBody) {
		t.Errorf("blank lines: got %v, want ErrEmptyBody", err)
	}
	if _, err := ingest.DecodeLines([]byte("{}\n{}\n{}\n"), 2); !errors.Is(err, ingest.ErrTooMany) {
		t.Errorf("three lines under a limit of two: got %v, want ErrTooMany", err)
	}
}

func TestDecodeObject_KeepsEveryDigit(t *testing.T) {
	t.Parallel()
	o := ingest.DecodeObject(
		[]byte(`{"n":0.1000000000000000055511151231257827,"t":"\u0041","b":false,"x":null,"a":[1,{"b":2}]}`))
	want := []ingest.Field{
		{Name: "n", Form: ingest.NumberForm, Text: "0.1000000000000000055511151231257827"},
		{Name: "t", Form: ingest.TextForm, Text: "A"},
		{Name: "b", Form: ingest.BoolForm, Text: "false"},
		{Name: "x", Form: ingest.NullForm},
		{Name: "a", Form: ingest.NestedForm, Text: `[1,{"b":2}]`},
	}
	if !slices.Equal(o.Fields, want) {
		t.Errorf("got %+v, want %+v", o.Fields, want)
	}
}

// A text of any parts in any order is dropped if encoding/json would replace a part of it, and only then.
func TestDecodeObject_DropsEachTextThatWouldBeReplaced(t *testing.T) {
	t.Parallel()
	parts := []string{"x", "\\n", "\\\\", "\\\"", "\\u0041", "\\ud83d\\ude00", "\\ud800", "\\udc00", "u"}
	for n := range len(parts) * len(parts) * len(parts) {
		text := `"` + parts[n%len(parts)] + parts[n/len(parts)%len(parts)] + parts[n/len(parts)/len(parts)] + `"`
		var decoded string
		if err := json.Unmarshal([]byte(text), &decoded); err != nil {
			t.Fatal(err)
		}
		want := ""
		if strings.ContainsRune(decoded, '\uFFFD') {
			want = ingest.CodeLoneSurrogate
		}
		got := ""
		for _, part := range ingest.DecodeObject([]byte(`{"a":` + text + `}`)).Dropped {
			got = part.Code
		}
		if got != want {
			t.Errorf("%s: code %q, want %q", text, got, want)
		}
	}
}

// FuzzDecodeObject checks for any input that the decoder returns, that a decode error is short
// and valid text, that decoded fields can be encoded and decoded again, and that validation
// either accepts the observation or returns field errors.
func FuzzDecodeObject(f *testing.F) {
	testenv.AddCorpus(f)
	for _, seed := range []string{
		reading(with("temperature", "22.4")), `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `{"a":1,"a":1}`,
		`{"a":{"b":[]}}`, `{"deviceId":"a","timestamp":1e9,"x":1e400}`, `[1]`, `{"":-0}`, "{\"\xff\":1}",
		`{"a":"\\ud800\\"}`, `nul`,
	} {
		f.Add([]byte(seed))
	}
	kind := newKind(f, keeping)
	f.Fuzz(func(t *testing.T, raw []byte) {
		o := ingest.DecodeObject(raw)
		if o.DecodeError == nil {
			again := ingest.DecodeObject(encode(t, o.Fields))
			if again.DecodeError != nil || !slices.Equal(again.Fields, o.Fields) {
				t.Errorf("%q is decoded as %+v; encoded and decoded again as %+v, error %+v", raw, o.Fields, again.Fields,
					again.DecodeError)
			}
		} else if _, err := json.Marshal(o.DecodeError); err != nil || len(o.DecodeError.Message) > 400 {
			t.Errorf("%q: decode error %+v cannot be reported: %v", raw, o.DecodeError, err)
		}
		results, err := serviceOn(memory.New(clock), 1).Append(t.Context(), kind, o)
		if err != nil || (results[0].Outcome == model.Rejected) != (len(results[0].Errors) > 0) ||
			o.DecodeError != nil && results[0].Outcome != model.Rejected {
			t.Errorf("%q: outcome %+v, error %v", raw, results[0], err)
		}
	})
}

// encode returns fields as a JSON object; nested values become empty objects.
func encode(t *testing.T, fields []ingest.Field) []byte {
	t.Helper()
	b := bytes.NewBufferString("{")
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(name, ':'))
		switch f.Form {
		case ingest.TextForm:
			text, err := json.Marshal(f.Text)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(text)
		case ingest.NullForm:
			b.WriteString("null")
		default:
			b.WriteString(f.Text)
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}
