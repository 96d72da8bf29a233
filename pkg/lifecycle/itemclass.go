package lifecycle

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// itemClass is one class of a subject's items.
type itemClass struct {
	name         string         // in counts and receipts
	prefix       string         // of the sort key
	exact        bool           // the sort key is equal to prefix
	hasSentinels bool           // the items name the unique values that they held
	owner        string         // only items of this owner, in a partition of several subjects; "" is all
	rowsOf       *model.Subject // only invalidations of this subject's rows; nil is all items
}

// Classes of items outside the partitions of a subject.
const (
	classQuarantine = "quarantine"
	classSentinels  = "unique values"
	classSeries     = "list of series"
	classSweepQueue = "queue of sweeps"
	classShares     = "shares of groups"
	// Its items expire with the purge lock.
	classMemberships = "groups of the profile, until the purge lock expires"
	// Of these the name of the subject was removed, not the item.
	classLists = "lists of members in rollups of groups"
	// In these the name may be left: rollups of groups that cannot be decoded, and rollups of the subject in
	// more groups than they name.
	classUnread  = "unreadable rollups of groups, not changed"
	classUnnamed = "rollups in too many groups, whose lists were not changed"
)

// classes are the classes in the partitions of a subject, in the order of their removal.
// Events go first, then rollups, smallest buckets first. An aggregation that runs in
// between then finds no events, and writes no rollup that would have to be removed again.
// The profile and its tombstone go last, because they name the unique values to release.
var classes = slices.Concat([]itemClass{{name: "events", prefix: tablekeys.EventPrefix}}, rollupClasses(),
	[]itemClass{
		{name: "rollups", prefix: tablekeys.RowsPrefix}, // of tiers that this version does not know
		{name: "alerts", prefix: tablekeys.AlertPrefix},
		{name: "alert notifications", prefix: tablekeys.NotificationPrefix},
		{name: "alert rules", prefix: tablekeys.RulePrefix}, // and the states of the series
		{name: "latest items", prefix: tablekeys.LatestPrefix},
		{name: "versions", prefix: tablekeys.VersionPrefix, hasSentinels: true},
		{name: "tombstone", prefix: tablekeys.DeletedPrefix, hasSentinels: true},
		{name: "profile", prefix: keys.ClassMetadata, exact: true, hasSentinels: true},
	})

// rollupClasses returns one class for each tier that this version knows, finest first.
func rollupClasses() []itemClass {
	return lists.Map(tier.Units(), func(u tier.Unit) itemClass {
		return itemClass{name: "rollups", prefix: tablekeys.RowPrefix(u.String())}
	})
}

// listClass is the class of a subject's entries in the list of series.
type listClass struct {
	itemClass
	partition string
}

func seriesClass(s model.Subject) listClass {
	partition, prefix := tablekeys.SeriesEntries(s)
	return listClass{itemClass{name: classSeries, prefix: prefix, owner: keys.SubjectPartition(s)}, partition}
}

// matches reports whether an item belongs to the class and must be removed. An empty
// rollup is not removed: it contains no measures and expires within a day. Until then it
// prevents an aggregation that read the bucket as absent from writing it.
func (c itemClass) matches(it item.Item) bool {
	sk := it.Key().SK
	if c.exact && sk != c.prefix || !strings.HasPrefix(sk, c.prefix) {
		return false
	}
	if c.rowsOf != nil && !invalidates(it, *c.rowsOf) {
		return false
	}
	return !it[tablekeys.AttrEmpty].Bool && (c.owner == "" || c.owner == it[tablekeys.AttrOwner].S)
}

// invalidates reports whether an item of the queue of sweeps is of a row of the subject. What cannot be read
// is left to the sweep, which reports it. So is what names groups: their rows have events of the subject
// until then.
func invalidates(it item.Item, s model.Subject) bool {
	i, err := item.Invalidation(it)
	return err == nil && i.Key.Series.Subject == s && i.Groups == ""
}

// heldSentinel is a sentinel that a generation of a subject held.
type heldSentinel struct {
	partition  string
	generation model.Generation
}

// listSentinels returns the sentinels that an item says its generation held.
func (c itemClass) listSentinels(it item.Item) []heldSentinel {
	if !c.hasSentinels {
		return nil
	}
	p, err := item.Profile(it)
	if err != nil {
		p, err = item.Tombstone(it)
	}
	if err != nil {
		v, _ := item.ProfileVersion(it)
		p = v.Profile
	}
	return lists.Map(p.Sentinels, func(partition string) heldSentinel {
		return heldSentinel{partition, p.Generation}
	})
}
