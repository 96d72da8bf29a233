package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Limits of the declaration of a kind.
const (
	MaxShards   = 64   // shards of a kind; a read sends one request for each
	maxTop      = 1000 // values of a dimension in a row
	maxDetail   = 32 << 10
	MaxMeasures = 200 // measures in a row
)

// quote quotes text and shortens it, so that a message stays one readable line.
func quote(s string) string {
	if len(s) > MaxName {
		s = s[:MaxName] + "…"
	}
	return strconv.Quote(s)
}

// check returns every mistake of kinds with defaults, in the order of kinds and fields.
func check(kinds []Kind) []error {
	var found []error
	for i := range kinds {
		c := checker{k: &kinds[i], label: kinds[i].Name, found: &found}
		if c.label == "" {
			c.label = "#" + strconv.Itoa(i+1)
		}
		c.names()
		c.against(kinds[:i])
		c.fields()
		c.policies()
		c.order()
		c.latestIndexes()
		c.sizes()
		c.sessions(kinds)
		c.groups()
		c.goals(kinds)
		if !slices.ContainsFunc(kinds[:i], func(e Kind) bool { return e.Subject.Name == kinds[i].Subject.Name }) {
			c.profile()
		}
		if m := CheckRetention(c.k.Retention); m != nil {
			c.wrong(m.Field, m.Message)
		}
	}
	return found
}

// checkTypes returns every mistake of subject types without kinds.
func checkTypes(alone, kinds []Kind) []error {
	var found []error
	for i := range alone {
		c := checker{k: &alone[i], found: &found}
		c.subjectNames()
		c.against(slices.Concat(kinds, alone[:i]))
		c.profile()
	}
	return found
}

type checker struct {
	k     *Kind
	label string // "" for a subject type without kinds
	found *[]error
}

// wrong adds a mistake, unless the message is empty.
func (c checker) wrong(field, message string) {
	if c.label == "" {
		field = strings.TrimPrefix(strings.TrimPrefix(field, "subject"), ".")
		field = strings.TrimSuffix("subjects."+c.k.Subject.Name+"."+field, ".")
	}
	if message != "" {
		*c.found = append(*c.found, &Mistake{Kind: c.label, Field: field, Message: message})
	}
}

func (c checker) names() {
	c.wrong("name", wrongName(c.k.Name))
	c.wrong("path", wrongPath(c.k.Path))
	c.subjectNames()
}

func (c checker) subjectNames() {
	c.wrong("subject.name", wrongName(c.k.Subject.Name))
	c.wrong("subject.path", wrongPath(c.k.Subject.Path))
}

// against compares c's kind with those declared before it.
func (c checker) against(earlier []Kind) {
	s := c.k.Subject
	if reservedSubjectPaths[s.Path] {
		c.wrong("subject.path", quote(s.Path)+" is a fixed segment of routes: choose another path")
	}
	if reservedKindPaths[c.k.Path] {
		c.wrong("path", quote(c.k.Path)+" is a fixed segment of routes: choose another path")
	}
	if c.k.Path == s.Path && s.Path != "" {
		c.wrong("path", quote(s.Path)+" is the path of its subject type too: choose another path for one of them")
	}
	for _, e := range earlier {
		if e.Name == c.k.Name && e.Name != "" {
			c.wrong("name", "declared twice: remove one")
			return // further messages would repeat it
		}
		if e.Path == c.k.Path && e.Path != "" {
			c.wrong("path", fmt.Sprintf("%q is the path of kind %s already: choose another", e.Path, e.Name))
		}
		if e.Subject.Path == c.k.Path || e.Path == s.Path {
			c.wrong("path", fmt.Sprintf(
				"a kind and a subject type have the same path (see kind %s): choose another path for one of them",
				e.Name))
		}
		if e.Subject.Name == s.Name && e.Subject != s {
			c.wrong("subject", fmt.Sprintf(
				"kind %[2]s declares %[1]s differently (path %[3]s, field %[4]s): a subject type has one "+
					"path, one field and one profile",
				s.Name, e.Name, e.Subject.Path, e.Subject.Field))
		}
		if e.Subject.Name != s.Name && e.Subject.Path == s.Path {
			c.wrong("subject.path",
				fmt.Sprintf("%q is the path of subject type %s already: choose another", s.Path, e.Subject.Name))
		}
	}
}

func (c checker) policies() {
	if !slices.Contains([]LatePolicy{KeepLate, DropLate}, c.k.Late) {
		c.wrong("late", quote(string(c.k.Late))+" is not a policy for late events: want keep or drop")
	}
	if !slices.Contains([]CollisionPolicy{ReportCollision, MergeCollision}, c.k.OnCollision) {
		c.wrong("onCollision",
			quote(string(c.k.OnCollision))+" is not a policy for collisions: want report or merge")
	}
	if !slices.Contains([]IDPolicy{OptionalID, RequiredID, MintedID}, c.k.IDs) {
		c.wrong("ids", quote(string(c.k.IDs))+" is not a policy for ids: want optional, required or minted")
	}
	if !slices.Contains([]UndeclaredPolicy{KeepUndeclared, DropUndeclared, RejectUndeclared}, c.k.Undeclared) {
		c.wrong("undeclared", quote(string(c.k.Undeclared))+" is not a policy for undeclared fields: want "+
			"keep, drop or reject")
	}
	if c.k.FinerTime != model.RejectFinerTime && c.k.FinerTime != model.TruncateFinerTime {
		c.wrong("finerTime", fmt.Sprintf(
			"%d is not a policy for times finer than a millisecond: want reject or truncate", c.k.FinerTime))
	}
	if !slices.Contains([]LatestPolicy{TransactionLatest, DerivedLatest, NoLatest}, c.k.Latest) {
		c.wrong("latest", quote(string(c.k.Latest))+
			" is not a policy for latest items: want transaction, derived or none")
	}
	if !c.k.LatestInTransaction() && c.k.Late == DropLate {
		c.wrong("late", "drop compares events with the latest item when they are appended, and latest: "+
			string(c.k.Latest)+" does not: write late: keep, or latest: transaction")
	}
	if c.k.Latest == DerivedLatest && c.k.OrderBy != "" {
		c.wrong("latest", "derived latest items are folded with rollups by event time, and events ordered by "+
			quote(c.k.OrderBy)+" have none: write latest: transaction or none")
	} else if c.k.Latest == DerivedLatest && len(c.k.Retention.Tiers) == 0 && c.k.Retention.Raw != tier.Forever {
		c.wrong("latest", "derived latest items are folded with rollups, and without tiers they would "+
			"expire with the events: add a tier, keep raw forever, or write latest: transaction")
	}
}

func (c checker) within(field string, got, least, most int, what string) {
	if got < least || got > most {
		c.wrong(field, fmt.Sprintf("%d is out of bounds: want %d to %d (%s)", got, least, most, what))
	}
}

// Mistake is one error of the declaration of a kind. The error of New joins all of them.
type Mistake struct {
	Kind    string // name of the kind, or its number (#2) if it has none; "" for a subject type without kinds
	Field   string // path in tidemark.yaml: late, measures.temperature, subject.path
	Message string // what is wrong, why, and what to do
}

func (m *Mistake) Error() string {
	return strings.TrimPrefix(fmt.Sprintf("kind %s: %s: %s", m.Kind, m.Field, m.Message), "kind : ")
}

// CheckRetention returns what is wrong with a retention policy, with the field as
// tidemark.yaml names it (tiers.hour); nil if the policy is valid. Kind is left empty.
func CheckRetention(p tier.Policy) *Mistake {
	err := p.Validate()
	if err == nil {
		return nil
	}
	m := &Mistake{Field: "tiers", Message: strings.TrimPrefix(err.Error(), "tiers: ")}
	if unit, rest, found := strings.Cut(m.Message, ": "); found {
		if _, err := tier.ParseUnit(unit); err == nil {
			m.Field, m.Message = "tiers."+unit, rest
		}
	}
	return m
}

// The fixed segments of the HTTP API's paths. A kind or a subject type with such a path
// would make routes ambiguous.
var (
	reservedKindPaths = map[string]bool{
		"restore": true, "purge": true, "deleted": true, "versions": true,
		"series": true, "latest": true, "count": true, "rollups": true, "top": true,
		"alerts": true, "rules": true,
	}
	reservedSubjectPaths = map[string]bool{"alerts": true, "rules": true, "silent": true}
)
