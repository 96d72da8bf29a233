package catalog

import "slices"

// AllowsRules reports whether alert rules can test the kind's events. Rules need the events
// of one series in order, which an append that writes the latest item checks, and unsharded
// series, and event times.
func (k *Kind) AllowsRules() bool {
	return k.LatestInTransaction() && k.Shards < 2 && k.OrderBy == ""
}

// AllowsRules reports whether the subject type has a kind that alert rules can test.
func (c *Catalog) AllowsRules(s SubjectType) bool {
	return slices.ContainsFunc(c.KindsOf(s), (*Kind).AllowsRules)
}
