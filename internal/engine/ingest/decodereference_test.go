package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
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
	object, reference := plain(DecodeObject(body)), plain(referenceObject(body))
	if !reflect.DeepEqual(object, reference) {
		t.Errorf("%q is decoded as %+v, by encoding/json as %+v", body, object, reference)
	}
	const limit = 4
	got, many, err := DecodeBody(body, limit)
	want, wantMany, wantErr := referenceBody(body, limit)
	// A decoder of elements counts bytes from another start: of an array, texts of errors differ.
	sameError := wantMany || fmt.Sprint(err) == fmt.Sprint(wantErr)
	for _, sentinel := range []error{ErrEmptyBody, ErrNotJSON, ErrNotObject, ErrTooMany} {
		sameError = sameError && errors.Is(err, sentinel) == errors.Is(wantErr, sentinel)
	}
	same := reflect.DeepEqual(lists.Map(got, plain), lists.Map(want, plain))
	if !same || many != wantMany || !sameError {
		t.Errorf("the body %.200q is decoded as %+v, %v, %v, by encoding/json as %+v, %v, %v",
			body, got, many, err, want, wantMany, wantErr)
	}
}

// plain returns an observation with the codes of its dropped parts alone, in their order.
func plain(o Observation) Observation {
	codes := lists.Map(o.Dropped, func(e model.FieldError) model.FieldError {
		return model.FieldError{Code: e.Code}
	})
	slices.SortFunc(codes, func(a, b model.FieldError) int { return strings.Compare(a.Code, b.Code) })
	o.Dropped = codes
	return o
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
	o := referenceObject(body)
	if err := checkSyntax(body); err != nil && o.DecodeError != nil {
		return nil, false, err
	}
	if body[0] != '{' {
		return nil, false, ErrNotObject
	}
	return []Observation{o}, false, nil
}

// referenceArray is decodeArray by encoding/json.
func referenceArray(body []byte, limit int) ([]Observation, error) {
	if replaced, found := jsonscan.ReplaceNotNumbers(body); found {
		body = replaced
	}
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
	err := checkSyntax(raw)
	replaced, found := jsonscan.ReplaceNotNumbers(raw)
	if found && err != nil && checkSyntax(replaced) == nil {
		o = referenceObject(replaced)
		o.Payload = raw
		return o
	}
	if err != nil {
		o.DecodeError = fieldError("", CodeNotJSON, "%s", strings.TrimPrefix(err.Error(), "the body is "))
		return o
	}
	object := bytes.TrimSpace(raw)
	if object[0] != '{' {
		o.DecodeError = fieldError("", CodeNotAnObject,
			"is %s: want an object with one observation, {\"timestamp\": …}", detectForm(object))
		return o
	}
	o.referenceFields(object)
	return o
}

// referenceFields adds the members of raw, which is a valid object.
func (o *Observation) referenceFields(raw []byte) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.Token() // the bracket
	values := map[string]map[Field]bool{}
	var all []Field
	for decoder.More() {
		from := decoder.InputOffset()
		f := referenceField(decoder)
		sent := raw[from:decoder.InputOffset()]
		if f.Form == NestedForm {
			sent = bytes.TrimSuffix(sent, []byte(f.Text))
		}
		if code := unreadable(sent); code != "" {
			o.Dropped = append(o.Dropped, model.FieldError{Code: code})
			continue
		}
		if values[f.Name] == nil {
			values[f.Name] = map[Field]bool{}
			all = append(all, f)
		}
		values[f.Name][f] = true
	}
	o.Fields = []Field{}
	for _, f := range all {
		if len(values[f.Name]) == 1 {
			o.Fields = append(o.Fields, f)
		} else {
			o.Dropped = append(o.Dropped, model.FieldError{Code: CodeDuplicateName})
		}
	}
}

// unreadable returns the code of a text of which encoding/json replaces a part.
func unreadable(sent []byte) string {
	switch {
	case !utf8.Valid(sent):
		return CodeInvalidUTF8
	case loneSurrogate(sent):
		return CodeLoneSurrogate
	}
	return ""
}

// referenceField decodes a member of a valid object.
func referenceField(decoder *json.Decoder) (f Field) {
	name, _ := decoder.Token()
	f.Name = name.(string) // within an object every other token is a name
	var raw json.RawMessage
	decoder.Decode(&raw)
	switch f.Form = detectForm(raw); f.Form {
	case TextForm:
		json.Unmarshal(raw, &f.Text)
	case NumberForm, BoolForm, NestedForm:
		f.Text = string(raw)
	}
	return f
}

// loneSurrogate reports whether raw contains a \u escape of half a surrogate pair, which encoding/json would
// replace without an error. raw is valid JSON, so that backslashes are in strings only.
func loneSurrogate(raw []byte) bool {
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		half, ok := escapedUnit(raw[i:])
		if !ok {
			i++ // a two-byte escape: its second byte does not begin another escape
			continue
		}
		i += 5
		if !utf16.IsSurrogate(half) {
			continue
		}
		other, ok := escapedUnit(raw[i+1:])
		if !ok || utf16.DecodeRune(half, other) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// escapedUnit decodes a leading \uXXXX.
func escapedUnit(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n), err == nil
}
