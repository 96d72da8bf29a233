// Package verify checks the stored rollups of a table against its events. It only reads.
//
// A Verifier recounts whole series: it computes every row from the events by rules of its own and compares
// the result with the stored row, byte for byte. An Auditor is cheaper: it compares digests only, and so
// finds missing, removed and changed events but not a row with wrong numbers and the right digest. Package
// repair recomputes what an Auditor finds.
//
// The rows of a group are recounted from the shares of its members. A recount of a member compares its shares
// with its events; a recount of a group finds shares that their members' rows do not name.
package verify

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// SeriesReader reads pages of a series' events and rows, strongly consistent where the
// range says so, expired items included.
type SeriesReader interface {
	Events(ctx context.Context, r storage.Range) (storage.EventPage, error)
	Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error)
	Shares(ctx context.Context, bucket rollup.Key, after string) (rollup.RowPage, error)
}

// Store is the table as a Verifier reads it.
type Store interface {
	tablescan.Table
	SeriesReader
	ItemReader
}

// Step reports progress of a long run.
type Step struct {
	Phase string // "audit", "verify", …
	Unit  string // what is counted: "items", "series", …
	Added int    // how many were processed since the last step
	Total int    // how many there are; 0 if unknown
}
