package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of a body that could not be divided into observations. Nothing in it is appended.
var (
	ErrEmptyBody = errors.New(
		"the body is empty: send one JSON object, an array of objects, or one object on each line")
	ErrNotJSON   = errors.New("the body is not JSON")
	ErrNotObject = errors.New("the body is JSON, but neither an object nor an array of objects")
	ErrTooMany   = errors.New("too many observations in one request")
)

// DecodeBody decodes a JSON body: one object, or an array of objects (then many is true). An element that
// cannot be decoded is an Observation with a DecodeError. It returns an error if the body cannot be decoded
// at all, and ErrTooMany for more than limit observations.
func DecodeBody(body []byte, limit int) (observations []Observation, many bool, err error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, byteOrderMark))
	switch {
	case len(body) == 0:
		return nil, false, ErrEmptyBody
	case body[0] == '[':
		observations, err = decodeArray(body, limit)
		return observations, true, err
	}
	o := DecodeObject(body)
	if o.DecodeError != nil {
		if err := checkSyntax(body); err != nil {
			return nil, false, err
		}
	}
	if body[0] != '{' {
		return nil, false, ErrNotObject
	}
	return []Observation{o}, false, nil
}

// decodeArray decodes the elements one by one, so that the limit bounds the memory.
func decodeArray(body []byte, limit int) ([]Observation, error) {
	observations := []Observation{}
	next, more := jsonscan.Sibling(body, 1, true, ']')
	for more {
		end := jsonscan.Skip(body, next)
		if end == jsonscan.Invalid {
			break
		}
		if len(observations) == limit {
			return nil, tooMany(limit)
		}
		observations = append(observations, DecodeObject(body[next:end]))
		next, more = jsonscan.Sibling(body, end, false, ']')
	}
	if next == jsonscan.Invalid || more {
		return nil, cmp.Or(checkSyntax(body), ErrNotJSON)
	}
	if next < len(body) {
		return nil, fmt.Errorf("%w: there is text after the array; send one array", ErrNotJSON)
	}
	return observations, nil
}

// DecodeLines decodes NDJSON: one object on each line; blank lines are skipped. A line that
// cannot be decoded is an Observation with a DecodeError that contains the line number.
func DecodeLines(body []byte, limit int) ([]Observation, error) {
	var observations []Observation
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(body, byteOrderMark)) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if len(observations) == limit {
			return nil, tooMany(limit)
		}
		o := DecodeObject(line)
		if o.DecodeError != nil {
			o.DecodeError.Message = fmt.Sprintf("line %d: %s", number, o.DecodeError.Message)
		}
		observations = append(observations, o)
	}
	if observations == nil {
		return nil, ErrEmptyBody
	}
	return observations, nil
}

// DecodeObject decodes one JSON object in one pass, with the digits of numbers as sent. An object that
// cannot be decoded has a DecodeError. The Observation keeps raw as its Payload.
func DecodeObject(raw []byte) Observation {
	o := Observation{Payload: raw}
	fields, end := scanObject(raw, jsonscan.Space(raw, 0))
	if end == jsonscan.Invalid || !jsonscan.End(raw, end) {
		o.DecodeError = notAnObject(raw)
	} else if o.DecodeError = textError(raw, fields); o.DecodeError == nil {
		o.Fields = fields
	}
	return o
}

// scanObject returns the members of the object at i, and the index after it; jsonscan.Invalid if there is
// none. A text that is not UTF-8, or has half a surrogate pair, is left out.
func scanObject(raw []byte, i int) (fields []Field, end int) {
	if !jsonscan.Is(raw, i, '{') {
		return nil, jsonscan.Invalid
	}
	text := string(raw) // one copy, of which names and values are parts
	fields = make([]Field, 0, 8)
	at, more := jsonscan.Sibling(raw, i+1, true, '}')
	for more {
		name, value := jsonscan.Name(raw, at)
		if value == jsonscan.Invalid {
			return nil, jsonscan.Invalid
		}
		if end = jsonscan.Skip(raw, value); end == jsonscan.Invalid {
			return nil, jsonscan.Invalid
		}
		f := Field{Name: textAt(text, name, at), Form: detectForm(raw[value:])}
		switch f.Form {
		case TextForm:
			content, _ := jsonscan.Text(raw, value)
			f.Text = textAt(text, content, value)
		case NumberForm, BoolForm, NestedForm:
			f.Text = text[value:end]
		}
		fields = append(fields, f)
		at, more = jsonscan.Sibling(raw, end, false, '}')
	}
	return fields, at
}

// textAt returns the text of a string whose opening quote is at i.
func textAt(all string, s jsonscan.Raw, i int) string {
	if s.Plain {
		return all[i+1 : i+1+len(s.Bytes)]
	}
	decoded, _ := jsonscan.Unescape(nil, s.Bytes) // textError rejects what it cannot decode
	return string(decoded)
}

// notAnObject returns why raw is not one JSON object.
func notAnObject(raw []byte) *model.FieldError {
	if err := checkSyntax(raw); err != nil {
		return fieldError("", CodeNotJSON, "%s", strings.TrimPrefix(err.Error(), "the body is "))
	}
	return fieldError("", CodeNotAnObject, "is %s: want an object with one observation, {\"timestamp\": …}",
		detectForm(bytes.TrimSpace(raw)))
}

// textError returns why the texts of an object that is valid JSON cannot be stored, or are ambiguous; nil if
// they can.
func textError(raw []byte, fields []Field) *model.FieldError {
	switch {
	case !utf8.Valid(raw):
		return fieldError("", CodeInvalidUTF8,
			"contains bytes that are not UTF-8, which the table cannot store: encode the text as UTF-8")
	case loneSurrogate(raw):
		return fieldError("", CodeLoneSurrogate, "contains half of a \\uD800–\\uDFFF pair, "+
			"which is not a character: send both halves, or the character itself")
	}
	seen := make(map[string]bool, len(fields))
	for i := range fields {
		if seen[fields[i].Name] {
			return fieldError(fields[i].Name, CodeDuplicateName,
				"appears twice in one object, so its value is ambiguous: send it once")
		}
		seen[fields[i].Name] = true
	}
	return nil
}

// detectForm returns the form of a valid JSON value, which follows from its first byte.
func detectForm(raw []byte) Form {
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

// checkSyntax returns nil if raw is one JSON value, else ErrNotJSON with the byte offset.
func checkSyntax(raw []byte) error {
	var value json.RawMessage
	if err := json.Unmarshal(raw, &value); err != nil {
		return notJSON(err)
	}
	return nil
}

func notJSON(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		advice := ""
		if notNumber.MatchString(err.Error()) {
			advice = " (NaN and Infinity are not JSON numbers: send null, or \"NaN\")"
		}
		if strings.Contains(err.Error(), "after top-level value") {
			advice = " (objects on lines of their own are application/x-ndjson)"
		}
		return fmt.Errorf("%w: byte %d: %v%s", ErrNotJSON, syntax.Offset, err, advice)
	}
	return fmt.Errorf("%w: %v", ErrNotJSON, err)
}

// notNumber is in the error of encoding/json for NaN, Infinity and -Infinity.
var notNumber = regexp.MustCompile(`invalid character '[NI]'`)

// byteOrderMark may begin a text in UTF-8. It has no meaning.
var byteOrderMark = []byte("\xEF\xBB\xBF")

func tooMany(limit int) error {
	return fmt.Errorf("%w: at most %d; send them in several requests", ErrTooMany, limit)
}

func toValid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
