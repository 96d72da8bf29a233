package timeseries

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// Increases are what a counter of the members of groups has counted in a range.
type Increases struct {
	// Groups are all groups with readings, the greatest increase first. Increase is nil if no step to a
	// reading is known. It is not Exact if a row misses a change, or was folded before the measure was a
	// counter, and if anything is Missing or Unknown, which may belong to any group.
	Groups []GroupIncrease
	// None is of readings in no group, and Unknown of buckets with readings of several, or from before there
	// were groups.
	None, Unknown GroupIncrease
	// From and To are the buckets that were counted, of the finest tier. Open says that the range goes on
	// after the last one that has closed.
	From, To time.Time
	Open     bool
	// Missing are parts of the range of which something is not known of MissingOf members.
	Missing   []Segment
	MissingOf int

	members []query.MemberIncreases
}

// Increases counts what a measure, which must be declared as a counter, has counted in each group: over the
// steps that end in the buckets of the finest tier that start in [from, to); the zero time.Time leaves an end
// open. Readings have one of the streams; without any, they have none. It reads the rows of all members, a
// few requests for each. It is an error unless e is the result of Groups.
func (e *Events[T]) Increases(
	ctx context.Context, measure string, from, to time.Time, streams ...string,
) (Increases, error) {
	r, err := newReadOptions(e.layout, []RangeOption{In(from, to)})
	if err != nil {
		return Increases{}, err
	}
	if e.members == nil {
		return Increases{}, fmt.Errorf("kind %s: %w", e.declared.Name, query.ErrNoMembers)
	}
	by, err := e.kindOfTable(ctx)
	if err != nil {
		return Increases{}, err
	}
	of, err := e.members.kindOfTable(ctx)
	if err != nil {
		return Increases{}, err
	}
	page, err := e.query.AllIncreases(ctx,
		query.Increases{By: by, Of: of, Streams: streams, Measure: measure, From: r.from, To: r.to})
	if err != nil {
		return Increases{}, err
	}
	sums := page.Sums
	return Increases{
		Groups: sums.Groups, None: sums.None, Unknown: sums.Unknown, From: toTime(page.From),
		To: toTime(page.To), Open: page.Open, Missing: sums.Missing, MissingOf: sums.MissingOf,
		members: page.Members,
	}, nil
}

// Members returns the members of a group whose increases are known, the greatest first.
func (i Increases) Members(group string) (known []GroupMember) {
	for _, m := range query.OfGroup(i.members, group) {
		if m.Increase != nil {
			known = append(known, GroupMember{Member: m.Member.ID, Value: *m.Increase})
		}
	}
	return known
}
