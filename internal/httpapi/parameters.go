package httpapi

import (
	"net/url"
	"slices"
	"strings"
)

// The problem types of query strings.
var (
	ProblemUnknownParameter  = ProblemType{"/problems/unknown-parameter", "The route does not have this parameter", 400}
	ProblemRepeatedParameter = ProblemType{"/problems/repeated-parameter", "A parameter is repeated", 400}
	ProblemBoolean           = ProblemType{"/problems/bad-boolean", "A parameter is neither true nor false", 400}
)

// Parameters are the parameters of a query string.
type Parameters struct{ url.Values }

// ParseParameters parses a query string. A parameter that is not in known, or that is
// repeated although several does not allow it, is a Problem: ignoring a misspelt filter
// would return wrong data, and ignoring a misspelt dryRun would change data. several may
// be nil.
func ParseParameters(raw string, known []string, several func(name string) bool) (Parameters, *Problem) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return Parameters{}, ProblemQuery.New("%v: escape the special characters", err)
	}
	for name, all := range values {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return Parameters{}, ProblemUnknownParameter.New("%.64q: the route has no parameters", name)
		case !slices.Contains(known, name):
			return Parameters{}, ProblemUnknownParameter.New("%.64q: want %s", name, strings.Join(known, ", "))
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

// The lists, and those of them that have pages.
var (
	_ List = Alerts{}
	_ List = Chart{}
	_ List = Event{}
	_ List = History{}
	_ List = IndexedEvents{}
	_ List = ListedSubject{}
	_ List = ListedSubjects{}
	_ List = Rollups{}
	_ List = Subjects{}
	_ List = Top{}
	_ List = Total{}
	_ List = Versions{}

	_ Paged = Alerts{}
	_ Paged = History{}
	_ Paged = IndexedEvents{}
	_ Paged = ListedSubjects{}
	_ Paged = Rollups{}
	_ Paged = Subjects{}

	_ Versioned = Profile{}
	_ Versioned = StoredEvent{}
	_ error     = (*Problem)(nil)
)
