package alert_test

import (
	"context"
	"maps"
	"regexp"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// mutantStore is a table that makes the evaluation behave as the mutant does.
type mutantStore struct {
	alert.Store
	mutant
	last map[model.Series]model.Order // last event of each series in the batch
}

// applyMutant applies the history's mutant to the service of an invocation.
func (f *fleet) applyMutant(s *alert.Service, changes []storage.Change) {
	if f.mutant == (mutant{}) {
		return
	}
	m := mutantStore{Store: s.Store, mutant: f.mutant, last: map[model.Series]model.Order{}}
	for i := range changes {
		c := &changes[i]
		if m.last[c.Key.Series].Before(c.Key.Order) {
			m.last[c.Key.Series] = c.Key.Order
		}
		if f.mutant.noLate && c.Type == storage.Inserted && c.After != nil {
			c.After.Late = false
		}
		if f.mutant.asInserts {
			c.Type = storage.Inserted
		}
		if f.mutant.testLate && c.After != nil {
			c.After.Late = false
		}
	}
	s.Store = m
	if f.mutant.acceptAll {
		s.Publisher = alwaysAccepting{s.Publisher}
	}
}

func (p mutantStore) Latest(ctx context.Context, series model.Series,
	consistent bool) (*model.Latest, error) {
	c, err := p.Store.Latest(ctx, series, consistent)
	if c != nil && p.toRecord {
		c.Order = p.last[series]
	}
	return c, err
}

func (p mutantStore) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page, err := p.Store.Events(ctx, r)
	if r.Newest && (p.noRecall || p.noLookBack) {
		return storage.EventPage{}, err
	}
	for i := range page.Events {
		page.Events[i].Late = page.Events[i].Late && !p.testLate
	}
	return page, err
}

// forgotten matches what a mutant removes from stored rules and states.
var (
	forgottenMemory = regexp.MustCompile(`,"(since|last)":{[^}]*}`)
	forgottenClear  = regexp.MustCompile(`,"clear(Low|High)":[0-9]+`)
)

// forget removes parts of the JSON in an attribute of an item.
func forget(it item.Item, attr string, part *regexp.Regexp) {
	if v, ok := it[attr]; ok {
		v.S = part.ReplaceAllString(v.S, "")
		it[attr] = v
	}
}

func (p mutantStore) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	page, err := p.Store.List(ctx, l)
	for i, it := range page.Items {
		page.Items[i] = maps.Clone(it)
		if p.noMemory {
			forget(page.Items[i], tablekeys.AttrTested, forgottenMemory)
		}
		if p.noClear {
			forget(page.Items[i], tablekeys.AttrRule, forgottenClear)
		}
	}
	return page, err
}

func (p mutantStore) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	at, err := tablekeys.ParseRule(puts[0].Item.Key())
	if p.skipState && len(puts) == 1 && err == nil && at.State {
		return storage.Written, nil
	}
	return p.Store.PutAll(ctx, puts)
}

// alwaysAccepting reports every notification as accepted.
type alwaysAccepting struct{ alert.Publisher }

func (c alwaysAccepting) Publish(ctx context.Context, notifications []storage.Notification) ([]bool, error) {
	accepted, err := c.Publisher.Publish(ctx, notifications)
	for i := range accepted {
		accepted[i] = true
	}
	return accepted, err
}

// The simulation must fail for each mutant. Otherwise it would not show that the code is
// correct.
func TestSim_FindsPlantedFaults(t *testing.T) {
	for name, m := range map[string]mutant{
		"deletions are handled as inserts":         {asInserts: true},
		"late events raise alerts":                 {testLate: true},
		"events are tested up to the record":       {toRecord: true},
		"refused notifications count as delivered": {acceptAll: true},
		"no readings are recalled":                 {noRecall: true},
		"states have no memory":                    {noMemory: true},
		"alerts end within the bounds":             {noClear: true},
		"late events end no silence":               {noLate: true},
		"silences begin at the change":             {noLookBack: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const enough = 200
			found := false
			trial := simstream.Trial{Setup: func(s *simstream.Sim) { playFleet(s, m) }, Rates: rates}
			trial.Explore(1, enough, func(r simstream.Result) bool {
				found = found || r.Failure != nil
				return !found
			})
			if !found {
				t.Errorf("none of %d histories failed, want a failure", enough)
			}
		})
	}
}
