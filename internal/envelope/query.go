package envelope

import (
	"net/url"
	"slices"
	"strings"
)

// The problem types of query strings.
var (
	ProblemUnknownParameter = ProblemType{"/problems/unknown-parameter", "The route does not take this parameter", 400}
	ProblemRepeated         = ProblemType{"/problems/repeated-parameter", "A parameter is given twice", 400}
	ProblemBoolean          = ProblemType{"/problems/bad-boolean", "A parameter is neither true nor false", 400}
)

// Parameters are those of a query string.
type Parameters struct{ url.Values }

// ParseParameters refuses parameters that a route does not take, and those given twice
// that it does not take so: a misspelt filter that is ignored answers another question
// than was asked, and a misspelt dryRun does what was only to be counted.
func ParseParameters(raw string, known []string, several func(name string) bool) (Parameters, *Problem) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return Parameters{}, ProblemQuery.New("%v: escape what has a meaning in a query string", err)
	}
	for name, given := range values {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return Parameters{}, ProblemUnknownParameter.New("%.64q: it takes none", name)
		case !slices.Contains(known, name):
			return Parameters{}, ProblemUnknownParameter.New("%.64q: want %s", name, strings.Join(known, ", "))
		case len(given) > 1 && (several == nil || !several(name)):
			return Parameters{}, ProblemRepeated.New("%q: give it once", name)
		}
	}
	return Parameters{values}, nil
}

// Boolean reads a parameter that is true or false; absent is false.
func (p Parameters) Boolean(name string) (bool, *Problem) {
	switch {
	case !p.Has(name), p.Get(name) == "false":
		return false, nil
	case p.Get(name) == "true":
		return true, nil
	}
	return false, ProblemBoolean.New("%s: want true or false", name)
}
