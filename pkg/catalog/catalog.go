package catalog

import (
	"cmp"
	"errors"
	"reflect"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Catalog is a set of kinds with all defaults applied. Create one with New. It is immutable
// and safe for concurrent use.
type Catalog struct {
	Kinds []Kind // in order of declaration; read-only

	byName   map[string]*Kind
	byPath   map[string]*Kind
	subjects []SubjectType // each once, in order of first mention; those without kinds last
}

// New validates copies of the kinds and returns a catalog of them, with all defaults applied.
// The error joins one *Mistake for each mistake, in the order of the kinds and their fields.
func New(kinds ...Kind) (*Catalog, error) { return NewWith(nil, kinds...) }

// NewWith is New with subject types that have profiles and no kinds. The mistakes of these have no Kind.
func NewWith(types []SubjectType, kinds ...Kind) (*Catalog, error) {
	c := &Catalog{
		Kinds:  make([]Kind, len(kinds)),
		byName: make(map[string]*Kind, len(kinds)),
		byPath: make(map[string]*Kind, len(kinds)),
	}
	for i, k := range kinds {
		c.Kinds[i] = k.complete()
	}
	c.Kinds = withGroups(c.Kinds)
	shareProfiles(c.Kinds)
	shareRaw(c.Kinds)
	declareUses(c.Kinds)
	alone := lists.Map(types, func(s SubjectType) Kind { return Kind{Subject: s}.complete() })
	shareProfiles(alone)
	if mistakes := append(check(c.Kinds), checkTypes(alone, c.Kinds)...); len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	groupByProfiles(c.Kinds)
	for i := range c.Kinds {
		k := &c.Kinds[i]
		c.byName[k.Name] = k
		c.byPath[k.Path] = k
		k.kinds = c.byName
	}
	linkGroups(c.byName)
	for _, k := range slices.Concat(c.Kinds, alone) {
		if !slices.Contains(c.subjects, k.Subject) {
			c.subjects = append(c.subjects, k.Subject)
		}
	}
	return c, nil
}

// Kind returns the kind with a name, for example READING.
func (c *Catalog) Kind(name string) (*Kind, bool) {
	k, ok := c.byName[name]
	return k, ok
}

// ByPath returns the kind with a plural in routes, for example readings.
func (c *Catalog) ByPath(path string) (*Kind, bool) {
	k, ok := c.byPath[path]
	return k, ok
}

// SubjectByPath returns the subject type with a plural in routes, for example devices.
func (c *Catalog) SubjectByPath(path string) (SubjectType, bool) {
	i := slices.IndexFunc(c.subjects, func(s SubjectType) bool { return s.Path == path })
	if i < 0 {
		return SubjectType{}, false
	}
	return c.subjects[i], true
}

// SubjectKinds returns the kinds of a subject type, in order of declaration.
func (c *Catalog) SubjectKinds(s SubjectType) (all []*Kind) {
	for i := range c.Kinds {
		if c.Kinds[i].Subject == s {
			all = append(all, &c.Kinds[i])
		}
	}
	return all
}

// Subjects returns the subject types, each once: the kinds' in their order, then the types without kinds.
func (c *Catalog) Subjects() []SubjectType { return slices.Clone(c.subjects) }

// complete returns a deep copy of k with the documented default for each zero field.
func (k Kind) complete() Kind {
	k.Measures = slices.Clone(k.Measures)
	k.Dimensions = slices.Clone(k.Dimensions)
	k.Distinct = slices.Clone(k.Distinct)
	k.Enrichment = slices.Clone(k.Enrichment)
	k.OtherFields = slices.Clone(k.OtherFields)
	k.Properties = slices.Clone(k.Properties)
	k.Retention.Tiers = slices.Clone(k.Retention.Tiers)
	k.LatestBy = slices.Clone(k.LatestBy)
	if k.Sessions != nil {
		s := *k.Sessions
		s.First, s.Last = slices.Clone(s.First), slices.Clone(s.Last)
		k.Sessions = &s
	}
	k.Groups, k.groups = slices.Clone(k.Groups), nil
	k.Goals = slices.Clone(k.Goals)
	for _, m := range goalMeasures(k.Goals) {
		if !slices.Contains(k.Measures, m) { // of a complete kind
			k.Measures = append(k.Measures, m)
		}
	}
	for i := range k.LatestBy {
		k.LatestBy[i] = k.LatestBy[i].complete()
	}

	k.Path = cmp.Or(k.Path, pathFrom(k.Name))
	k.Subject.Path = cmp.Or(k.Subject.Path, pathFrom(k.Subject.Name))
	k.Subject.Field = cmp.Or(k.Subject.Field, fieldFrom(k.Subject.Name))
	k.Late = cmp.Or(k.Late, KeepLate)
	k.Undeclared = cmp.Or(k.Undeclared, KeepUndeclared)
	k.OnCollision = cmp.Or(k.OnCollision, ReportCollision)
	k.Latest = cmp.Or(k.Latest, TransactionLatest)
	k.IDs = cmp.Or(k.IDs, OptionalID)
	k.MaxMeasures = cmp.Or(k.MaxMeasures, rollup.DefaultMaxMeasures)
	k.Shards = cmp.Or(k.Shards, 1)
	for i := range k.Dimensions {
		k.Dimensions[i].Top = cmp.Or(k.Dimensions[i].Top, rollup.DefaultTop)
	}
	if reflect.ValueOf(k.Retention).IsZero() {
		k.Retention = tier.Standard()
		if k.OrderBy != "" {
			k.Retention = tier.Policy{Raw: k.Retention.Raw}
		}
	}
	k.spec = k.makeSpec()
	return k
}

// Series returns the series of an event of the subject. If k is sharded, the event's order
// chooses the shard, so that a retry has the same shard.
func (k *Kind) Series(subjectID, stream string, order model.Order) model.Series {
	s := model.Series{
		Subject: model.Subject{Type: k.Subject.Name, ID: subjectID},
		Kind:    k.Name,
		Stream:  stream,
	}
	if k.Shards > 1 {
		s.Shard = shardIndex(s, order, k.Shards)
	}
	return s
}
