package exhaustive

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var (
	_ aggregate.Store             = client{}
	_ aggregate.InvalidationStore = client{}
	_ ingest.Store                = client{}
	_ query.LowWatermarks         = client{}
)

// client is the table, the clock and the random source of one process. Each request stops
// the process until the explorer responds.
type client struct {
	query.Store // only for the methods that no simulated reader calls
	*driver
}

// reply is the value of a response of the table.
type reply struct {
	result      storage.WriteResult
	stored      storage.StoreResult
	row         item.Item
	events      storage.EventPage
	rows        []item.Item
	next        string
	queue       storage.InvalidationPage
	sweeps      storage.LowWatermarks
	invalidated map[storage.Invalidation]bool
}

func (c client) table(kind requestKind, text string, do func(*memory.Table) *response) (*reply, error) {
	r := c.ask(&request{kind: kind, text: text, do: do})
	if r.err != nil {
		return &reply{result: storage.Unknown}, r.err
	}
	return r.value.(*reply), nil
}

// Now reads the clock.
func (c client) Now() model.Time {
	at, _ := c.ask(&request{kind: clock}).value.(model.Time)
	return at
}

// Sleep takes no time.
func (c client) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// Read returns a fresh revision, or no randomness for the length of a pause.
func (c client) Read(b []byte) (int, error) {
	clear(b)
	if len(b) < len(rollup.Rev{}) {
		return len(b), nil
	}
	r := c.ask(&request{kind: nonce})
	if r.err != nil {
		return 0, r.err
	}
	b[0], b[len(b)-1] = 1, r.value.(byte)
	return len(b), nil
}

func rowText(row *rollup.Row) (item.Item, string) {
	if row == nil {
		return nil, "none"
	}
	it, err := item.FromRow(row)
	if err != nil {
		panic(err) // a row that was stored
	}
	return it, itemText(it)
}

// Row reads one row.
func (c client) Row(_ context.Context, key rollup.Key) (*rollup.Row, error) {
	r, err := c.table(reads, fmt.Sprint("row ", key.Tier, key.Start), func(t *memory.Table) *response {
		row, err := t.Row(context.Background(), key)
		it, text := rowText(row)
		out := &response{text: "row " + text, value: &reply{row: it}, err: err}
		if row != nil {
			out.revs = revSet(row.Rev)
		}
		return out
	})
	if err != nil || r.row == nil {
		return nil, err
	}
	row, _ := item.RowOrBare(r.row)
	return &row, nil
}

// Events reads one page of events.
func (c client) Events(_ context.Context, pages storage.Range) (storage.EventPage, error) {
	r, err := c.table(reads, fmt.Sprintf("events %+v", pages), func(t *memory.Table) *response {
		page, err := t.Events(context.Background(), pages)
		return &response{text: fmt.Sprintf("events %+v", page), value: &reply{events: page}, err: err}
	})
	return r.events, err
}

// Rows reads one page of rows.
func (c client) Rows(_ context.Context, unit tier.Unit, pages storage.Range) (rollup.RowPage, error) {
	r, err := c.table(reads, fmt.Sprintf("%ss %+v", unit, pages), func(t *memory.Table) *response {
		page, err := t.Rows(context.Background(), unit, pages)
		out, text := &reply{next: page.Next}, strings.Builder{}
		revs := uint64(0)
		for i := range page.Rows {
			it, content := rowText(&page.Rows[i])
			text.WriteString(content)
			out.rows = append(out.rows, it)
			revs |= revSet(page.Rows[i].Rev)
		}
		return &response{text: "rows " + page.Next + text.String(), value: out, err: err, revs: revs}
	})
	page := rollup.RowPage{Next: r.next}
	for _, it := range r.rows {
		row, _ := item.RowOrBare(it)
		page.Rows = append(page.Rows, row)
	}
	return page, err
}

// written is the response to a write.
func written(r storage.StoreResult, err error) *response {
	return &response{
		text:  fmt.Sprintf("%s %+v %v %+v", r.Result, r.Latest, r.LatestFailed, storedText(r.Stored)),
		wrote: err == nil && r.Result == storage.Written, value: &reply{result: r.Result, stored: r}, err: err,
	}
}

func storedText(events []*model.Event) (all []string) {
	for _, e := range events {
		if e != nil {
			all = append(all, fmt.Sprintf("%+v", *e))
		}
	}
	return all
}

func (c client) write(text string,
	do func(*memory.Table) (storage.WriteResult, error)) (storage.WriteResult, error) {
	r, err := c.table(writes, text, func(t *memory.Table) *response {
		result, err := do(t)
		return written(storage.StoreResult{Result: result}, err)
	})
	return r.result, err
}

// PutRow writes a row.
func (c client) PutRow(_ context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	it, text := rowText(row)
	r := c.ask(&request{
		kind: writes, row: fmt.Sprint(row.Key.Tier, row.Key.Start), text: fmt.Sprintf("put row %x %s", prev, text),
		do: func(t *memory.Table) *response {
			again, _ := item.RowOrBare(it)
			result, err := t.PutRow(context.Background(), &again, prev)
			return written(storage.StoreResult{Result: result}, err)
		},
	})
	if r.err != nil {
		return storage.Unknown, r.err
	}
	return r.value.(*reply).result, nil
}

// invalidationsFound begins the response to a read of invalidations.
const invalidationsFound = "invalidations stored: "

// StoredInvalidations reads invalidations.
func (c client) StoredInvalidations(
	_ context.Context, these []storage.Invalidation,
) (map[storage.Invalidation]bool, error) {
	r, err := c.table(reads, "invalidations of "+invalidationsText(these), func(t *memory.Table) *response {
		stored, err := t.StoredInvalidations(context.Background(), these)
		return &response{text: fmt.Sprint(invalidationsFound, stored), value: &reply{invalidated: stored}, err: err}
	})
	return r.invalidated, err
}

func invalidationsText(these []storage.Invalidation) string {
	var text strings.Builder
	for _, i := range these {
		fmt.Fprint(&text, i.Key.Series, i.Key.Tier, i.Key.Start, i.Due, " ")
	}
	return text.String()
}

// writeInvalidations puts or deletes invalidations, all at once.
func (c client) writeInvalidations(
	verb string, these []storage.Invalidation, do func(*memory.Table) (storage.WriteResult, error),
) ([]storage.Invalidation, storage.WriteResult, error) {
	result, err := c.write(verb+" invalidations of "+invalidationsText(these), do)
	if err != nil || result != storage.Written {
		return these, result, err
	}
	return nil, result, nil
}

// PutInvalidations stores invalidations.
func (c client) PutInvalidations(
	_ context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	return c.writeInvalidations("put", these, func(t *memory.Table) (storage.WriteResult, error) {
		_, result, err := t.PutInvalidations(context.Background(), these)
		return result, err
	})
}

// DeleteInvalidations deletes invalidations.
func (c client) DeleteInvalidations(
	_ context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	return c.writeInvalidations("delete", these, func(t *memory.Table) (storage.WriteResult, error) {
		_, result, err := t.DeleteInvalidations(context.Background(), these)
		return result, err
	})
}

// Invalidations reads one page of the queue.
func (c client) Invalidations(
	_ context.Context, shard storage.QueueShard, due model.Time, after string,
) (storage.InvalidationPage, error) {
	r, err := c.table(reads, fmt.Sprint("queue up to ", due, after), func(t *memory.Table) *response {
		page, err := t.Invalidations(context.Background(), shard, due, after)
		return &response{text: fmt.Sprintf("queue %+v", page), value: &reply{queue: page}, err: err}
	})
	return r.queue, err
}

// AdvanceSweep stores a low watermark.
func (c client) AdvanceSweep(
	_ context.Context, shard storage.QueueShard, through model.Time,
) (storage.WriteResult, error) {
	return c.write(fmt.Sprint("advance low watermark to ", through),
		func(t *memory.Table) (storage.WriteResult, error) {
			return t.AdvanceSweep(context.Background(), shard, through)
		})
}

// Sweeps reads the low watermarks.
func (c client) Sweeps(context.Context) (storage.LowWatermarks, error) {
	r, err := c.table(reads, "low watermarks", func(t *memory.Table) *response {
		all, err := t.Sweeps(context.Background())
		return &response{text: fmt.Sprint("low watermarks ", all), value: &reply{sweeps: all}, err: err}
	})
	return r.sweeps, err
}

// QueueConfig returns the first generation. It is no step of an interleaving.
func (client) QueueConfig(context.Context) (storage.QueueConfig, error) {
	return storage.QueueConfig{Generations: storage.Generations{storage.FirstGeneration}}, nil
}

// Append sends one transaction.
func (c client) Append(_ context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	r, err := c.table(writes, fmt.Sprintf("append %s %+v %+v", tx.Token, tx.Puts, tx.Latest),
		func(t *memory.Table) *response {
			out := written(t.Append(context.Background(), tx))
			out.token = tx.Token
			return out
		})
	if err != nil {
		r.stored.Result = r.result
	}
	return r.stored, err
}

// Put stores one event.
func (c client) Put(_ context.Context, e model.Event) (storage.StoreResult, error) {
	r, err := c.table(writes, fmt.Sprintf("put %+v", e), func(t *memory.Table) *response {
		return written(t.Put(context.Background(), e))
	})
	return r.stored, err
}

// Quarantine must not be needed: every change can be processed.
func (c client) Quarantine(context.Context, storage.Quarantined) (storage.WriteResult, error) {
	return storage.Unknown, errQuarantined
}

var errQuarantined = fmt.Errorf("nothing is to be quarantined")
