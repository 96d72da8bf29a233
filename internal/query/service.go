package query

import (
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Service answers readers. Its fields are set once, before the first call; its
// methods are safe for concurrent use.
type Service struct {
	Store Store
	// Now is the reader's clock: what has expired by it is hidden, and a bucket that
	// ends after it is open.
	Now func() model.Time
	// CursorKey signs the cursors of pages. Services that continue each other's pages
	// share it. Iterators need none.
	CursorKey []byte
	// OlderKeys are those that signed before CursorKey did: cursors made with one of
	// them still open, so that a change of the key ends nobody's loop over pages.
	OlderKeys [][]byte
}

// Series names what is read: one stream of a subject's events of a kind. A reader
// never sees shards: a kind that is spread reads as one series.
type Series struct {
	Kind    *catalog.Kind
	Subject string // the subject's id; its type is the kind's
	Stream  string // "" for the events without one
}

// String is for people and logs: DEVICE/sensor_01 READING status.
func (s Series) String() string { return s.whole().String() }

// Errors of a request that cannot be answered as asked. None passes by waiting.
var (
	ErrSeries    = errors.New("no series has such a name")
	ErrRange     = errors.New("the range holds no instant: from must lie before to")
	ErrLimit     = errors.New("the limit is negative: want a number above zero, or none")
	ErrNoCurrent = errors.New("the kind keeps no current: read its history instead")
	ErrNoTier    = errors.New("the kind's ladder has no such tier")
)

// whole is the series without regard to shards.
func (s Series) whole() model.Series {
	return model.Series{Subject: model.Subject{Type: s.Kind.Subject.Name, ID: s.Subject}, Kind: s.Kind.Name, Stream: s.Stream}
}

// shards are the stored series that make up s: one, unless the kind is spread.
func (s Series) shards() []model.Series { return s.Kind.ShardsOf(s.whole()) }

// check refuses a name that no key can hold, so that nobody asks the table for it.
func (s Series) check() error {
	if s.Subject == "" {
		return fmt.Errorf("%w: the subject's id is empty", ErrSeries)
	}
	if err := keys.Current(s.shards()[0]).Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrSeries, err)
	}
	return nil
}

// checkPage refuses a name, a range or a limit that means nothing.
func (s Series) checkPage(from, to model.Time, limit int) error {
	switch {
	case from >= to:
		return fmt.Errorf("from %s to %s: %w", from, to, ErrRange)
	case limit < 0:
		return fmt.Errorf("limit %d: %w", limit, ErrLimit)
	}
	return s.check()
}
