package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// The limits of the members that are decoded before a service limits the fields: a body of 10 MB may have
// millions.
const (
	maxMembers  = 100_000 // of an object
	membersEach = 500     // of each observation that a body may have: an event has at most 350 fields
)

func (o *Observation) members() int { return len(o.Fields) + len(o.Dropped) }

// DecodeBody decodes a JSON body: one object, or an array of objects (then many is true). An element that
// cannot be decoded is an Observation with a DecodeError. It returns an error if the body cannot be decoded
// at all, and ErrTooMany for more than limit observations.
func DecodeBody(body []byte, limit int) (observations []Observation, many bool, err error) {
	sent := body
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
		if err := cmp.Or(CheckForeign(sent), checkSyntax(body)); err != nil {
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
	observations, room := []Observation{}, max(limit*membersEach, maxMembers)
	next, more := jsonscan.Sibling(body, 1, true, ']')
	for more {
		end := jsonscan.Skip(body, next)
		if end == jsonscan.Invalid {
			break
		}
		if len(observations) == limit {
			return nil, tooMany(limit)
		}
		o := DecodeObject(body[next:end])
		if room -= o.members(); room < 0 {
			return nil, tooManyMembers(limit)
		}
		observations = append(observations, o)
		next, more = jsonscan.Sibling(body, end, false, ']')
	}
	if next == jsonscan.Invalid || more {
		if replaced, found := jsonscan.ReplaceNotNumbers(body); found {
			return decodeArray(replaced, limit)
		}
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
	if err := CheckForeign(body); err != nil {
		return nil, err
	}
	var observations []Observation
	number, room := 0, max(limit*membersEach, maxMembers)
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
		if room -= o.members(); room < 0 {
			return nil, tooManyMembers(limit)
		}
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

// DecodeObject decodes one JSON object in one pass, with the digits of numbers as sent. A member that cannot
// be decoded, or whose name is there with two values, is one of Dropped. NaN, which programs write although
// JSON has no such number, is null. An object that cannot be decoded has a DecodeError. The Observation keeps
// raw as its Payload.
func DecodeObject(raw []byte) Observation {
	o := Observation{Payload: raw}
	end := o.scan(raw, jsonscan.Space(raw, 0))
	if end != jsonscan.Invalid && jsonscan.End(raw, end) {
		o.DropRepeated()
		return o
	}
	if o.members() > maxMembers {
		return Observation{Payload: raw, DecodeError: fieldError("", CodeTooManyFields,
			"has more than %d members, counting those that are repeated: send fewer", maxMembers)}
	}
	if replaced, found := jsonscan.ReplaceNotNumbers(raw); found {
		o = DecodeObject(replaced)
		o.Payload = raw
		return o
	}
	return Observation{Payload: raw, DecodeError: notAnObject(raw)}
}

// scan adds the members of the object at i, and returns the index after it; jsonscan.Invalid if there is
// none.
func (o *Observation) scan(raw []byte, i int) (end int) {
	if !jsonscan.Is(raw, i, '{') {
		return jsonscan.Invalid
	}
	text := string(raw) // one copy, of which names and values are parts
	o.Fields = make([]Field, 0, 8)
	at, more := jsonscan.Sibling(raw, i+1, true, '}')
	for more {
		name, value := jsonscan.Name(raw, at)
		if value == jsonscan.Invalid {
			return jsonscan.Invalid
		}
		if end = jsonscan.Skip(raw, value); end == jsonscan.Invalid {
			return jsonscan.Invalid
		}
		f := Field{Form: detectForm(raw[value:])}
		var wrong *model.FieldError
		f.Name, wrong = textAt(text, name, at)
		switch f.Form {
		case TextForm:
			content, _ := jsonscan.Text(raw, value)
			if wrong == nil {
				f.Text, wrong = textAt(text, content, value)
			}
		case NumberForm, BoolForm, NestedForm:
			f.Text = text[value:end]
		}
		if wrong == nil {
			o.Fields = append(o.Fields, f)
		} else {
			wrong.Field = clip(f.Name)
			o.Dropped = append(o.Dropped, *wrong)
		}
		if o.members() > maxMembers {
			return jsonscan.Invalid
		}
		at, more = jsonscan.Sibling(raw, end, false, '}')
	}
	return at
}

// textAt returns the text of a string whose opening quote is at i. The error is for a text of which a part is
// no character: encoding/json replaces it, so that two texts can become equal.
func textAt(all string, s jsonscan.Raw, i int) (string, *model.FieldError) {
	if s.Plain {
		return all[i+1 : i+1+len(s.Bytes)], nil
	}
	decoded, ok := jsonscan.Unescape(nil, s.Bytes)
	switch {
	case ok:
		return string(decoded), nil
	case !utf8.Valid(s.Bytes):
		return toValid(string(decoded)), fieldError("", CodeInvalidUTF8,
			"contains bytes that are not UTF-8, which the table cannot store: encode the text as UTF-8")
	}
	return string(decoded), fieldError("", CodeLoneSurrogate,
		"contains half of a \\uD800–\\uDFFF pair, which is not a character: "+
			"send both halves, or the character itself")
}

// DropRepeated drops the fields whose name is there with several values: which one is meant is not known.
// A field that is repeated with the same value is kept once.
func (o *Observation) DropRepeated() {
	const ambiguous = -1
	places := make(map[string]int, len(o.Fields)) // of names in kept
	kept, decoded := o.Fields[:0], len(o.Dropped)
	for _, f := range o.Fields {
		switch at, seen := places[f.Name]; {
		case !seen:
			places[f.Name] = len(kept)
			kept = append(kept, f)
		case at != ambiguous && kept[at] != f:
			places[f.Name] = ambiguous
			o.Dropped = append(o.Dropped, *fieldError(f.Name, CodeDuplicateName,
				"appears twice with two values, and which is meant is not known: send it once"))
		}
	}
	if len(o.Dropped) > decoded {
		kept = slices.DeleteFunc(kept, func(f Field) bool { return places[f.Name] == ambiguous })
	}
	if len(kept) < len(o.Fields)/2 {
		kept = slices.Clone(kept) // a body of repeated names keeps no memory for each
	}
	o.Fields = kept
}

// notAnObject returns why raw is not one JSON object.
func notAnObject(raw []byte) *model.FieldError {
	if err := checkSyntax(raw); err != nil {
		return fieldError("", CodeNotJSON, "%s", strings.TrimPrefix(err.Error(), "the body is "))
	}
	return fieldError("", CodeNotAnObject, "is %s: want an object with one observation, {\"timestamp\": …}",
		detectForm(bytes.TrimSpace(raw)))
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
		if strings.Contains(err.Error(), "after top-level value") {
			advice = " (objects on lines of their own are application/x-ndjson)"
		}
		return fmt.Errorf("%w: byte %d: %v%s", ErrNotJSON, syntax.Offset, err, advice)
	}
	return fmt.Errorf("%w: %v", ErrNotJSON, err)
}

// byteOrderMark may begin a text in UTF-8. It has no meaning.
var byteOrderMark = []byte("\xEF\xBB\xBF")

func tooMany(limit int) error {
	return fmt.Errorf("%w: at most %d; send them in several requests", ErrTooMany, limit)
}

func tooManyMembers(limit int) error {
	return fmt.Errorf("%w: they have more than %d members together; send them in several requests",
		ErrTooMany, max(limit*membersEach, maxMembers))
}

func toValid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
