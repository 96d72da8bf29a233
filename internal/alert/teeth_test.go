package alert_test

import (
	"context"
	"testing"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// planted is a table that has the rule do what the mutant says.
type planted struct {
	alert.Store
	mutant
	last map[model.Series]model.Order // of the records of the batch
}

// plantIn plants the history's mutant into the service of an invocation.
func (f *fleet) plantIn(s *alert.Service, changes []model.Change) {
	if f.plant == (mutant{}) {
		return
	}
	p := planted{s.Store, f.plant, map[model.Series]model.Order{}}
	for i := range changes {
		c := &changes[i]
		if p.last[c.Key.Series].Before(c.Key.Order) {
			p.last[c.Key.Series] = c.Key.Order
		}
		if f.plant.blind {
			c.What = model.Inserted
		}
		if f.plant.lateToo && c.After != nil {
			c.After.Late = false
		}
	}
	s.Store = p
	if f.plant.forgets {
		s.Publisher = careless{s.Publisher}
	}
}

func (p planted) Current(ctx context.Context, series model.Series, consistent bool) (*model.Current, error) {
	c, err := p.Store.Current(ctx, series, consistent)
	if c != nil && p.byRecord {
		c.Order = p.last[series]
	}
	return c, err
}

func (p planted) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	page, err := p.Store.Events(ctx, r)
	for i := range page.Events {
		page.Events[i].Late = page.Events[i].Late && !p.lateToo
	}
	return page, err
}

func (p planted) PutAll(ctx context.Context, puts []table.Put) (model.Answer, error) {
	at, err := keys.ParseRule(puts[0].Item.Key())
	if p.lazy && len(puts) == 1 && err == nil && at.State {
		return model.Written, nil
	}
	return p.Store.PutAll(ctx, puts)
}

// careless takes whatever was handed over for taken.
type careless struct{ alert.Publisher }

func (c careless) Publish(ctx context.Context, notices []model.Notice) ([]bool, error) {
	taken, err := c.Publisher.Publish(ctx, notices)
	for i := range taken {
		taken[i] = true
	}
	return taken, err
}

// A simulation that finds nothing in a wrong rule proves nothing of the right one.
func TestSim_FindsWhatIsPlanted(t *testing.T) {
	for name, m := range map[string]mutant{
		"deletions are taken for inserts":   {blind: true},
		"late events raise":                 {lateToo: true},
		"tested up to the record":           {byRecord: true},
		"a notice counts as told too early": {forgets: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const enough = 200
			found := false
			trial := streamtest.Trial{Play: func(s *streamtest.Sim) { fleetOf(s, m) }, Rates: rates}
			trial.Explore(1, enough, func(r streamtest.Result) bool {
				found = found || r.Failure != nil
				return !found
			})
			if !found {
				t.Errorf("%d histories, and none failed", enough)
			}
		})
	}
}
