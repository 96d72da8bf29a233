// Package storetest is what every table must be: a contract of stated facts that the
// table in memory and the table on DynamoDB both pass, and a layer of faults that
// can be laid over either, so that what stands above is tried against a table that
// throttles, conflicts and loses answers.
package storetest

import (
	"context"
	"crypto/rand"
	"testing"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Store is all that append, aggregate, query and the life of subjects ask of a table.
type Store interface {
	ingest.Store
	ingest.Quarantine
	ingest.SaltStore
	aggregate.Store
	query.Store
	lifecycle.Store
	lifecycle.Eraser
	alert.Store
	// Gated reports whether a subject's purge gate is there, strongly consistent.
	Gated(ctx context.Context, subject model.Subject) (bool, error)
}

// Table is a Store with what repairs, dumps, audits and tests need beside it.
type Table interface {
	Store
	aggregate.Marks
	// DeleteEvent removes an event as somebody does: Refused where it is not there, or
	// expires within tier.ExpiryMargin of now and is left to expire.
	DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (model.Answer, error)
	// CorrectEvent replaces an event in place as somebody does: Refused as DeleteEvent,
	// and where the event would expire earlier by it.
	CorrectEvent(ctx context.Context, event model.Event, now model.Time) (model.Answer, error)

	// PutItem stores an item whatever was there.
	PutItem(ctx context.Context, it item.Item) error
	// UpdateItem sets attributes and leaves the others as they are.
	UpdateItem(ctx context.Context, set item.Item) error
	// DeleteItem removes an item, if it is there.
	DeleteItem(ctx context.Context, k keys.Key) error
	// Scan reads one page of all items from beyond a position on; the zero Key is the
	// start, and as next position the end.
	Scan(ctx context.Context, after keys.Key) (page []item.Item, next keys.Key, err error)
	// Partition is Scan of what stands under one partition key, in order.
	Partition(ctx context.Context, pk string, after keys.Key) (page []item.Item, next keys.Key, err error)
}

// fact is one thing that is true of every table.
type fact struct {
	name  string
	holds func(c *contract)
}

// Run holds a table to the contract, one fact a subtest, in parallel. open makes an
// empty table for one of them.
func Run(t *testing.T, open func(t *testing.T) Table) {
	groups := []struct {
		name  string
		facts []fact
	}{
		{"append", appendFacts},
		{"condition", conditionFacts},
		{"transaction", transactionFacts},
		{"put", putFacts},
		{"salt", saltFacts},
		{"page", pageFacts},
		{"meter", meterFacts},
		{"index", indexFacts},
		{"currents", currentsFacts},
		{"event", eventFacts},
		{"row", rowFacts},
		{"repair", repairFacts},
		{"watermark", watermarkFacts},
		{"lifecycle", lifecycleFacts},
		{"erase", eraseFacts},
		{"put all", putAllFacts},
		{"concurrent", concurrentFacts},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, f := range g.facts {
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					f.holds(&contract{T: t, table: open(t), token: rand.Text()})
				})
			}
		})
	}
}
