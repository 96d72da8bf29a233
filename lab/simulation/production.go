package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var (
	_ aggregate.RowReader  = production{}
	_ storage.EventVisitor = production{}
)

// production is the store with the reads that the store on DynamoDB has: rows in batches of
// which some keys are not processed, and pages whose events are passed on one by one until
// the connection breaks.
type production struct{ *store }

// Counts of faults of these reads, and of suspended processes.
const (
	unprocessedKeys = "row of a batch not processed"
	brokenPages     = "page broken after some events"
	suspensions     = "process suspended"
)

// ReadRows reads rows by one request.
func (p production) ReadRows(ctx context.Context,
	these []rollup.Key) (rows map[rollup.Key]*rollup.Row, err error) {
	r := simstream.Request{Verb: fmt.Sprintf("reads %d rows", len(these))}
	for _, k := range these {
		r.Keys = append(r.Keys, keys.Row(k).PK)
	}
	dice := p.DiceFrom(ctx)
	err = p.read(ctx, r, func() error {
		rows = map[rollup.Key]*rollup.Row{}
		for i, k := range these {
			if dice.Chance(fmt.Sprint("unprocessed ", i), .1) {
				p.Count(unprocessedKeys)
				continue
			}
			row, err := p.table.Row(context.Background(), k)
			if err != nil {
				return err
			}
			rows[k] = row
		}
		return nil
	})
	return rows, err
}

// EachEvent reads one page of events.
func (p production) EachEvent(ctx context.Context, r storage.Range,
	do func(*model.Event)) (next string, err error) {
	dice := p.DiceFrom(ctx)
	page, err := p.Events(ctx, r)
	for i := range page.Events {
		if dice.Chance(fmt.Sprint("broken ", i), .01) {
			p.Count(brokenPages)
			return "", simstream.ErrReadFailed
		}
		do(&page.Events[i])
	}
	return page.Next, err
}

// suspendedMost is how long a process is suspended, at most.
const suspendedMost = 3 * time.Hour

// suspend sometimes suspends a process before a request, for minutes to hours.
func (s *store) suspend(ctx context.Context) {
	if dice := s.DiceFrom(ctx); dice.Chance(suspensions, .003) {
		s.Count(suspensions)
		s.Logf(s.Who(ctx), "!! is suspended")
		// the request that follows fails if ctx has ended
		_ = s.Sleep(ctx, dice.Span("suspended for", suspendedMost))
	}
}

func (s *store) read(ctx context.Context, r simstream.Request, do func() error) error {
	s.suspend(ctx)
	return s.Read(ctx, r, do)
}
