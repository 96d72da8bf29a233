package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The problem types of query strings.
var (
	ProblemUnknownParameter = ProblemType{URI: "/problems/unknown-parameter",
		Title: "The route does not have this parameter", Status: 400}
	ProblemRepeatedParameter = ProblemType{
		URI: "/problems/repeated-parameter", Title: "A parameter is repeated", Status: 400,
	}
	ProblemBoolean = ProblemType{
		URI: "/problems/bad-boolean", Title: "A parameter is neither true nor false", Status: 400,
	}
)

// Parameters are the parameters of a query string.
type Parameters struct{ url.Values }

// The limits of a query string. Each value of a parameter that may be repeated is read on its own.
const (
	MaxQuery    = 16 << 10 // bytes
	maxRepeated = 100
)

// ParseParameters parses a query string. A parameter that is not in known, or that is repeated although
// several does not allow it, is a Problem: ignoring a misspelt filter would return wrong data, and ignoring a
// misspelt dryRun would change data. several may be nil.
func ParseParameters(raw string, known []string, several func(name string) bool) (Parameters, *Problem) {
	if len(raw) > MaxQuery {
		return Parameters{}, ProblemQuery.New("%d bytes, at most %d", len(raw), MaxQuery)
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return Parameters{}, ProblemQuery.New("%v: escape the special characters", err)
	}
	for name, all := range values {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return Parameters{}, ProblemUnknownParameter.New("%.64q: the route has no parameters", name)
		case !slices.Contains(known, name):
			return Parameters{}, ProblemUnknownParameter.New("%.64q: want %s%s", name, strings.Join(known, ", "),
				names.DidYouMean(name, known))
		case len(all) > maxRepeated:
			return Parameters{},
				ProblemRepeatedParameter.New("%q is sent %d times, at most %d", name, len(all), maxRepeated)
		case len(all) > 1 && (several == nil || !several(name)):
			return Parameters{}, ProblemRepeatedParameter.New("%q: send it once", name)
		}
	}
	return Parameters{values}, nil
}

// Boolean returns a parameter that is true or false; its default is false.
func (p Parameters) Boolean(name string) (bool, *Problem) {
	switch {
	case !p.Has(name), p.Get(name) == "false":
		return false, nil
	case p.Get(name) == "true":
		return true, nil
	}
	return false, ProblemBoolean.New("%s: want true or false", name)
}

// comparisons are the operators of one or two characters. An operator comes before its own prefixes.
var comparisons = []model.Op{model.NotEqual, model.AtMost, model.AtLeast, model.Equal, model.Less,
	model.Greater}

// WhereForms lists the forms that ParseWhere accepts, for help texts and errors.
const WhereForms = `temperature>20, location=hall, ok=true, note<>"12" (text), ` +
	`"location begins ware", "note exists", "note missing"`

// ParseWhere parses one term of a condition, for HTTP and the command line: a field, a
// comparison and a value, as temperature>=20, or a field followed by begins TEXT, exists
// or missing. A value is a number, true, false or null if it parses as one, else text; a
// quoted value is always text. The error wraps model.ErrCondition.
func ParseWhere(text string) (model.Term, error) {
	if t, ok := wordTerm(text); ok {
		return t, model.Condition{t}.Validate()
	}
	at := strings.IndexAny(text, "<>=")
	if at < 0 {
		return model.Term{},
			fmt.Errorf("%w: %.64q: want a field, a comparison and a value: %s", model.ErrCondition, text, WhereForms)
	}
	t := model.Term{Field: strings.TrimSpace(text[:at])}
	for _, op := range comparisons {
		if rest, ok := strings.CutPrefix(text[at:], string(op)); ok {
			t.Op, t.Value = op, whereValue(strings.TrimSpace(rest))
			break
		}
	}
	return t, model.Condition{t}.Validate()
}

// wordTerm parses a term whose comparison is a word.
func wordTerm(text string) (model.Term, bool) {
	text = strings.TrimSpace(text)
	for _, op := range []model.Op{model.Exists, model.Missing} {
		if field, ok := strings.CutSuffix(text, " "+string(op)); ok && !strings.ContainsAny(field, "<>=") {
			return model.Term{Field: strings.TrimSpace(field), Op: op}, true
		}
	}
	field, value, ok := strings.Cut(text, " "+string(model.Begins)+" ")
	if !ok || strings.ContainsAny(field, "<>=") {
		return model.Term{}, false
	}
	return model.Term{Field: strings.TrimSpace(field), Op: model.Begins,
		Value: model.TextValue(unquoted(strings.TrimSpace(value)))}, true
}

func whereValue(text string) model.Value {
	if d, err := model.ParseDecimal(text); err == nil {
		return model.NumberValue(d)
	}
	switch text {
	case "true", "false":
		return model.BoolValue(text == "true")
	case "null":
		return model.Value{}
	}
	return model.TextValue(unquoted(text))
}

func unquoted(text string) string {
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		return text[1 : len(text)-1]
	}
	return text
}
