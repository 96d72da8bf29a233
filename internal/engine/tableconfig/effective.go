package tableconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrRefused is the error of a configuration that the table's does not allow.
var ErrRefused = errors.New("the configuration does not fit the table")

// refusedError returns ErrRefused with a line for each change.
func refusedError(changes []config.Change) error {
	return fmt.Errorf("%w: %s", ErrRefused,
		strings.Join(lists.Map(changes, func(c config.Change) string { return c.String() }), "; "))
}

// Policy returns the tiers and retentions of the table. A tier of a unit that this release
// does not have is an error.
func Policy(stored *storage.KindConfig) (tier.Policy, error) {
	p := tier.Policy{Raw: stored.Raw, LeastRaw: leastIfShorter(stored.LeastRaw, stored.Raw),
		Jitter: stored.Jitter, LateEvery: stored.LateEvery}
	for _, c := range stored.Tiers {
		if c.RemovedAt != 0 {
			continue
		}
		unit, err := tier.ParseUnit(c.Unit)
		if err != nil {
			return tier.Policy{}, fmt.Errorf(
				"kind %s: the table has a tier of a unit that this release does not know: %w", stored.Kind, err)
		}
		t := tier.Tier{Unit: unit, Retention: c.Retention, Least: leastIfShorter(c.Least, c.Retention),
			From: c.From}
		t.Deferred = c.Deferred
		t.DeferredFrom = c.DeferredFrom
		t.Grace = c.Grace
		if c.ImmediateAt != 0 {
			t.DeferredFrom = model.MaxTime
		}
		p.Tiers = append(p.Tiers, t)
	}
	return p, nil
}

// leastIfShorter returns the least retention as package tier writes it: zero if it is the present one.
func leastIfShorter[T comparable](least, retention T) (zero T) {
	if least == retention {
		return zero
	}
	return least
}

// Refused returns the changes from the table's configuration of a kind to the declared one
// that would make stored rows wrong, as config.Compare describes them. What the table knows
// need not be declared: the least retention, and the start of a tier.
func Refused(stored *storage.KindConfig, declared *catalog.Kind, now model.Time) (refused []config.Change) {
	before, after := *declared, *declared
	before.Subject.Name, before.Shards = stored.SubjectType, stored.Shards
	before.OrderBy, before.OrderType = stored.OrderBy, catalog.OrderType(stored.OrderType)
	before.Sessions = nil
	if stored.Sessions != nil {
		before.Sessions = &catalog.Sessions{}
		_ = json.Unmarshal(stored.Sessions, before.Sessions) // what is not understood differs, and is refused
	}
	before.Goals, _ = decodeGoals(stored, now) // loadKind returns the error
	before.Measures = foldedMeasures(stored, now)
	before.Retention, after.Retention = policies(stored, declared, now)
	return lists.Filter(config.CompareKinds(before, after), func(c config.Change) bool {
		return c.Class == config.Refused
	})
}

// policies returns the table's and the declared tiers in a form in which only a removed tier
// differs in a way that is refused. A tier whose first bucket has not begun may be removed,
// because no coarser row was computed from it.
func policies(stored *storage.KindConfig, declared *catalog.Kind,
	now model.Time) (before, after tier.Policy) {
	after = declared.Retention
	after.Tiers = append([]tier.Tier(nil), after.Tiers...)
	before.Raw = stored.Raw
	before.Jitter = stored.Jitter
	before.LateEvery = stored.LateEvery
	for _, c := range stored.Tiers {
		unit := parseUnit(c)
		_, at, found := after.Find(unit)
		if c.RemovedAt != 0 || !found && c.From > now.Add(Lead) {
			continue
		}
		t := tier.Tier{Unit: unit, Retention: c.Retention, From: c.From, Deferred: c.Deferred, Grace: c.Grace}
		if found {
			after.Tiers[at].Least, after.Tiers[at].From = min(c.Least, after.Tiers[at].LeastRetention()), c.From
			t.Least = after.Tiers[at].Least
		}
		before.Tiers = append(before.Tiers, t)
	}
	for i := range after.Tiers {
		if _, _, found := before.Find(after.Tiers[i].Unit); !found {
			after.Tiers[i].From = max(after.Tiers[i].From, now) // it begins when it is applied
		}
	}
	return before, after
}
