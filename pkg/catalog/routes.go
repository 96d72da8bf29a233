package catalog

// Action is what a route does with a series.
type Action string

// The actions.
const (
	Append      Action = "append"
	ReadHistory Action = "history"
	ReadCurrent Action = "current"
	ReadCount   Action = "count"
	ReadRollups Action = "rollups"
	ReadChart   Action = "chart"    // rollups of the tier that suits the range
	ReadTop     Action = "top"      // values of a dimension
	ReadByValue Action = "by-value" // events of any subject by the field they are indexed by
	ReadProfile Action = "profile"
	// Of all kinds of a subject together.
	ReadAllRollups Action = "all-rollups"
	ReadAllChart   Action = "all-chart"
	ReadAllTop     Action = "all-top"
)

// Route is one way of asking or telling over HTTP. The routes of a catalog are data:
// what an API in front of the functions lets through, and what the functions answer,
// is this list and nothing else.
type Route struct {
	Method string
	Path   string // with {id}, {tier}, {dimension} and {value} where the caller's words stand
	Action Action
	Kind   string // the kind's name; the subject type's where all its kinds are meant
}

// Routes are all routes of the kinds, then of the subject types, in the order of their
// declaration. What a kind does not have (a current, dimensions, an index) has no
// route.
func (c *Catalog) Routes() []Route {
	var all []Route
	for i := range c.Kinds {
		k := &c.Kinds[i]
		series := "/v1/" + k.Subject.Path + "/{id}/" + k.Path
		all = append(all,
			Route{"POST", "/v1/" + k.Path, Append, k.Name},
			Route{"GET", series, ReadHistory, k.Name},
			Route{"GET", series + "/" + WordCount, ReadCount, k.Name},
			Route{"GET", series + "/" + WordRollups, ReadChart, k.Name},
			Route{"GET", series + "/" + WordRollups + "/{tier}", ReadRollups, k.Name})
		if !k.WithoutCurrent {
			all = append(all, Route{"GET", series + "/" + WordCurrent, ReadCurrent, k.Name})
		}
		if len(k.Dimensions) > 0 {
			all = append(all, Route{"GET", series + "/" + WordTop + "/{dimension}", ReadTop, k.Name})
		}
		if k.IndexBy != "" {
			all = append(all, Route{"GET", "/v1/" + k.Path + "/" + k.IndexBy + "/{value}", ReadByValue, k.Name})
		}
	}
	for _, s := range c.subjects {
		all = append(all, s.routes(len(c.KindsOf(s)) > 1)...)
	}
	return all
}

// routes are those of a subject as a whole; to read several kinds together there must
// be several.
func (s SubjectType) routes(several bool) []Route {
	one := "/v1/" + s.Path + "/{id}"
	all := []Route{{"GET", one, ReadProfile, s.Name}}
	if several {
		all = append(all,
			Route{"GET", one + "/" + WordRollups, ReadAllChart, s.Name},
			Route{"GET", one + "/" + WordRollups + "/{tier}", ReadAllRollups, s.Name},
			Route{"GET", one + "/" + WordTop + "/{dimension}", ReadAllTop, s.Name})
	}
	return all
}
