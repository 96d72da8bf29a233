package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of a body of which no observation could be told apart; nothing of it was
// taken in.
var (
	ErrEmptyBody = errors.New("the body is empty: send one JSON object, an array of them, or one a line")
	ErrNotJSON   = errors.New("the body is not JSON")
	ErrNotObject = errors.New("the body is JSON, but neither an object nor an array of objects")
	ErrTooMany   = errors.New("too many observations in one request")
)

// DecodeBody reads a JSON body: one object, or an array of them (then many is true).
// An element that cannot be read is an Observation with a Flaw; what makes the whole
// body unreadable is an error. Anything beyond limit observations is ErrTooMany.
func DecodeBody(body []byte, limit int) (observations []Observation, many bool, err error) {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return nil, false, ErrEmptyBody
	case body[0] == '[':
		observations, err = decodeArray(body, limit)
		return observations, true, err
	}
	if err := syntaxOf(body); err != nil {
		return nil, false, err
	}
	if body[0] != '{' {
		return nil, false, ErrNotObject
	}
	return []Observation{DecodeObject(body)}, false, nil
}

// decodeArray takes the elements one by one, so that a body of many small ones costs
// no more memory than the limit allows.
func decodeArray(body []byte, limit int) ([]Observation, error) {
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
		observations = append(observations, DecodeObject(element))
	}
	if _, err := decoder.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the array; send one array", ErrNotJSON)
	}
	return observations, nil
}

// DecodeLines reads NDJSON: one object a line, blank lines skipped. A line that
// cannot be read is an Observation with a Flaw that names the line; the others stand.
func DecodeLines(body []byte, limit int) ([]Observation, error) {
	var observations []Observation
	number := 0
	for line := range bytes.Lines(body) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if len(observations) == limit {
			return nil, tooMany(limit)
		}
		o := DecodeObject(line)
		if o.Flaw != nil {
			o.Flaw.Message = fmt.Sprintf("line %d: %s", number, o.Flaw.Message)
		}
		observations = append(observations, o)
	}
	if observations == nil {
		return nil, ErrEmptyBody
	}
	return observations, nil
}

// DecodeObject reads one JSON object with every number's digits as sent. It never
// fails: what is wrong stands in the Flaw. The Observation keeps raw as its Payload.
func DecodeObject(raw []byte) Observation {
	o := Observation{Payload: raw}
	if err := syntaxOf(raw); err != nil {
		o.Flaw = flaw("", CodeNotJSON, "%s", strings.TrimPrefix(err.Error(), "the body is "))
		return o
	}
	o.Fields, o.Flaw = decodeFields(bytes.TrimSpace(raw))
	return o
}

// decodeFields reads the members of raw, which is valid JSON.
func decodeFields(raw []byte) ([]Field, *model.FieldError) {
	switch {
	case raw[0] != '{':
		return nil, flaw("", CodeNotAnObject, "want an object with one observation, {\"timestamp\": …}, not %s", formOf(raw))
	case !utf8.Valid(raw):
		return nil, flaw("", CodeInvalidUTF8, "holds bytes that are not UTF-8, which the table cannot keep: encode the text as UTF-8")
	case loneSurrogate(raw):
		return nil, flaw("", CodeLoneSurrogate, "holds half of a \\uD800–\\uDFFF pair, which is no character: send both halves, or the character itself")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return nil, flaw("", CodeNotJSON, "not JSON: %v", err)
	}
	fields, seen := []Field{}, map[string]bool{}
	for decoder.More() {
		f, err := decodeField(decoder)
		if err != nil {
			return nil, flaw("", CodeNotJSON, "not JSON: %v", err)
		}
		if seen[f.Name] {
			return nil, flaw(f.Name, CodeDuplicateName, "stands twice in one object, and nobody can tell which is meant: send it once")
		}
		seen[f.Name] = true
		fields = append(fields, f)
	}
	return fields, nil
}

func decodeField(decoder *json.Decoder) (Field, error) {
	name, err := decoder.Token()
	if err != nil {
		return Field{}, err
	}
	f := Field{Name: name.(string)} // within an object every other token is a name
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return Field{}, err
	}
	switch f.Form = formOf(raw); f.Form {
	case TextForm:
		err = json.Unmarshal(raw, &f.Text)
	case NumberForm, BoolForm:
		f.Text = string(raw)
	}
	return f, err
}

// formOf tells the form of a valid JSON value by its first byte.
func formOf(raw []byte) Form {
	switch raw[0] {
	case '{', '[':
		return NestedForm
	case '"':
		return TextForm
	case 't', 'f':
		return BoolForm
	case 'n':
		return NullForm
	}
	return NumberForm
}

// loneSurrogate finds a \u escape of half a pair, which the standard decoder would
// quietly replace. raw is valid JSON, so backslashes stand in strings only.
func loneSurrogate(raw []byte) bool {
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		half, ok := escapedUnit(raw[i:])
		if !ok {
			i++ // a two-byte escape: its second byte is no escape of its own
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

// escapedUnit reads a leading \uXXXX.
func escapedUnit(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n), err == nil
}

// syntaxOf is nil where raw is one JSON value, else ErrNotJSON with the place.
func syntaxOf(raw []byte) error {
	var whole json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		return notJSON(err)
	}
	return nil
}

func notJSON(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%w: byte %d: %v (NaN and Infinity are no JSON numbers: send null, or \"NaN\")", ErrNotJSON, syntax.Offset, err)
	}
	return fmt.Errorf("%w: %v", ErrNotJSON, err)
}

func tooMany(limit int) error {
	return fmt.Errorf("%w: at most %d; send them in several requests", ErrTooMany, limit)
}

func toValid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
