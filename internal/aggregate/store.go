package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Store is the table as a look sees it. Each method is one request. Reads show
// expired items too; a read that could not be answered is an error, which may pass.
// A row that cannot be decoded, or that a newer version wrote, comes with its key,
// rev, V and expiry but without Summary, never as an error: it must not hide the rest
// of its page. Implementations are safe for concurrent use.
type Store interface {
	// Row reads one row, strongly consistent; nil where there is none.
	Row(ctx context.Context, key rollup.Key) (*rollup.Row, error)
	// Events reads one page of a series' events.
	Events(ctx context.Context, r model.Range) (model.EventPage, error)
	// Rows reads one page of a series' rows of a unit whose buckets start in the range.
	Rows(ctx context.Context, unit tier.Unit, r model.Range) (rollup.RowPage, error)
	// PutRow writes row whole, on condition that the stored row's rev is prev (the
	// zero Rev: that there is no row). row.Rev is the new nonce. An error is returned
	// only for what no retry can mend.
	PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error)
}

// EventReader is what a Store may be besides: one that hands out the events of a page
// one by one, so that a fold, which keeps none of them, need not hold the page.
type EventReader interface {
	// EachEvent is Events; do is called with every event, which is good during the call,
	// its texts for good. An error may come after some of them.
	EachEvent(ctx context.Context, r model.Range, do func(*model.Event)) (next string, err error)
}

// RowReader is what a Store may be besides: one that reads many rows by one request.
type RowReader interface {
	// ReadRows reads up to RowsTogether rows, each strongly consistent. A key is in the
	// answer where its row was read, with nil where there is none; what the table did
	// not get to is not in it.
	ReadRows(ctx context.Context, keys []rollup.Key) (map[rollup.Key]*rollup.Row, error)
}

// RowsTogether is how many rows one request reads at most.
const RowsTogether = 100

// Quarantine keeps records from which not even their bucket could be read; a repeat
// with the same ID changes nothing.
type Quarantine interface {
	Quarantine(ctx context.Context, q model.Quarantined) (model.Answer, error)
}
