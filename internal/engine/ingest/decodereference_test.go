package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// FuzzDecodeBody checks that the decoder of one pass returns what encoding/json returns: the same fields,
// and the same errors with the same bytes.
func FuzzDecodeBody(f *testing.F) {
	for _, seed := range bodies {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { sameAsReference(t, body) })
}

// bodies are bodies of every form and error.
var bodies = []string{
	`{"deviceId":"a","timestamp":"2026-03-10T10:00:00Z","temperature":21.5,"ok":true,"none":null}`, ``, ` `, `{}`, `[]`,
	`[{"a":1}, {"b":[1,{"c":"\u00e9"}]} ]`, `{"a":1} x`, `[1] x`, `[{"a":1}`, `[{"a":1},]`, `[{"a":1} {"b":2}]`, `[}`,
	`{"a":1,"a":2}`, `{"a\u0062":1,"ab":2}`, `{"a":"\ud800"}`, `{"\ud83d\ude00":"\ud83d\ude00"}`, "{\"a\":\"\xff\"}",
	`{"a":NaN}`, `{"a":-Infinity}`, `{"a":01}`, `{"a":1e400}`, `{"a":}`, `{"a"}`, `{,}`, `{"a":1,}`, "{\"a\":\"\x01\"}",
	"\xEF\xBB\xBF{\"a\":1}", "\u00a0{\"a\":1}", `"text"`, `1`, `null`, `nul`, `[null,1,"x",[],{}]`, `[1,2,3,4,5,6]`,
	`[1,2,3,4,5,x]`, `{"a":{"b":"\ud800"}}`, `{"a":{"b":1,"b":2}}`, strings.Repeat("[", 10_001), `{"a":"\\\"\/"}`,
}

func TestDecodeBody_ReturnsWhatEncodingJSONReturns(t *testing.T) {
	t.Parallel()
	for _, body := range bodies {
		sameAsReference(t, []byte(body))
	}
}

func sameAsReference(t *testing.T, body []byte) {
	t.Helper()
	if got, want := DecodeObject(body), referenceObject(body); !reflect.DeepEqual(got, want) {
		t.Errorf("%q is decoded as %+v, %+v, by encoding/json as %+v, %+v",
			body, got.Fields, got.DecodeError, want.Fields, want.DecodeError)
	}
	const limit = 4
	got, many, err := DecodeBody(body, limit)
	want, wantMany, wantErr := referenceBody(body, limit)
	// A decoder of elements counts bytes from another start: of an array, texts of errors differ.
	sameError := wantMany || fmt.Sprint(err) == fmt.Sprint(wantErr)
	for _, sentinel := range []error{ErrEmptyBody, ErrNotJSON, ErrNotObject, ErrTooMany} {
		sameError = sameError && errors.Is(err, sentinel) == errors.Is(wantErr, sentinel)
	}
	if !reflect.DeepEqual(got, want) || many != wantMany || !sameError {
		t.Errorf("the body %.200q is decoded as %+v, %v, %v, by encoding/json as %+v, %v, %v",
			body, got, many, err, want, wantMany, wantErr)
	}
}

// BenchmarkDecodeObject decodes one reading of three values, by one pass and by encoding/json.
func BenchmarkDecodeObject(b *testing.B) {
	raw := []byte(`{"deviceId":"sensor_0001","timestamp":"2026-03-10T10:00:00Z","temperature":21.5,"humidity":40.25,"battery":98}`)
	for name, decode := range map[string]func([]byte) Observation{"one pass": DecodeObject,
		"reference": referenceObject} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decode(raw)
			}
		})
	}
}

// referenceBody is DecodeBody by encoding/json.
func referenceBody(body []byte, limit int) (observations []Observation, many bool, err error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, byteOrderMark))
	switch {
	case len(body) == 0:
		return nil, false, ErrEmptyBody
	case body[0] == '[':
		observations, err = referenceArray(body, limit)
		return observations, true, err
	}
	if err := checkSyntax(body); err != nil {
		return nil, false, err
	}
	if body[0] != '{' {
		return nil, false, ErrNotObject
	}
	return []Observation{referenceObject(body)}, false, nil
}

// referenceArray is decodeArray by encoding/json.
func referenceArray(body []byte, limit int) ([]Observation, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if _, err := decoder.Token(); err != nil {
		return nil, notJSON(err)
	}
	observations := []Observation{}
	for decoder.More() {
		var element json.RawMessage
		if err := decoder.Decode(&element); err != nil {
			return nil, notJSON(err)
		}
		if len(observations) == limit {
			return nil, tooMany(limit)
		}
		observations = append(observations, referenceObject(element))
	}
	if _, err := decoder.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: there is text after the array; send one array", ErrNotJSON)
	}
	return observations, nil
}

// referenceObject is DecodeObject by encoding/json.
func referenceObject(raw []byte) Observation {
	o := Observation{Payload: raw}
	if err := checkSyntax(raw); err != nil {
		o.DecodeError = fieldError("", CodeNotJSON, "%s", strings.TrimPrefix(err.Error(), "the body is "))
		return o
	}
	o.Fields, o.DecodeError = referenceFields(bytes.TrimSpace(raw))
	return o
}

// referenceFields decodes the members of raw, which is valid JSON.
func referenceFields(raw []byte) ([]Field, *model.FieldError) {
	switch {
	case raw[0] != '{':
		return nil, fieldError("", CodeNotAnObject,
			"is %s: want an object with one observation, {\"timestamp\": …}", detectForm(raw))
	case !utf8.Valid(raw):
		return nil, fieldError("", CodeInvalidUTF8,
			"contains bytes that are not UTF-8, which the table cannot store: encode the text as UTF-8")
	case loneSurrogate(raw):
		return nil, fieldError("", CodeLoneSurrogate,
			"contains half of a \\uD800–\\uDFFF pair, which is not a character: send both halves, or the character itself")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return nil, fieldError("", CodeNotJSON, "not JSON: %v", err)
	}
	fields, seen := []Field{}, map[string]bool{}
	for decoder.More() {
		f, err := referenceField(decoder)
		if err != nil {
			return nil, fieldError("", CodeNotJSON, "not JSON: %v", err)
		}
		if seen[f.Name] {
			return nil, fieldError(f.Name, CodeDuplicateName,
				"appears twice in one object, so its value is ambiguous: send it once")
		}
		seen[f.Name] = true
		fields = append(fields, f)
	}
	return fields, nil
}

func referenceField(decoder *json.Decoder) (Field, error) {
	name, err := decoder.Token()
	if err != nil {
		return Field{}, err
	}
	f := Field{Name: name.(string)} // within an object every other token is a name
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return Field{}, err
	}
	switch f.Form = detectForm(raw); f.Form {
	case TextForm:
		err = json.Unmarshal(raw, &f.Text)
	case NumberForm, BoolForm, NestedForm:
		f.Text = string(raw)
	}
	return f, err
}
