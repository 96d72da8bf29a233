package timeseries

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Options change how Open opens a kind. The zero value of each field is its default.
type Options struct {
	// Now is the clock for arrivals, retention and reads; nil means time.Now.
	Now func() time.Time
	// Sources are the kinds of the events that a kind of sessions is folded from: Sessions.Of, and the kinds
	// whose events may meet its goals. Other kinds need none.
	Sources []catalog.Kind
	// Unmanaged opens a kind that the table's configuration does not have, although it has others. No
	// function keeps the rollups of its events, or lists its series. Without it, each read and change is
	// ErrTableConfig.
	Unmanaged bool
	// Limits are those that appended values are validated against. A limit of zero is the
	// default of the configuration.
	Limits Limits
	// CursorKey encrypts the cursors of pages. Programs that continue each other's pages share
	// it. It has at least 16 bytes. Zero means a random key: cursors are then valid for this Events only.
	CursorKey []byte
	// Patience limits the time of one append, with its retries. Zero means no limit but
	// Attempts and the deadline of the context.
	Patience time.Duration
	// Attempts is the number of times that one request is sent until the table decides; zero
	// means 12, which take about 6 seconds if the table does not respond.
	Attempts int
	// Parallel is the number of series that one AppendAll appends to at a time; zero means 8.
	Parallel int
	// Rand makes ids, tokens and pauses. It must be safe for concurrent use; nil means crypto/rand.
	Rand io.Reader
	// Sleep waits between attempts, or returns the context's error; nil means the wall clock.
	Sleep func(context.Context, time.Duration) error
}

// Limits are the limits that appended values are validated against.
type Limits = config.Limits

var errOptions = errors.New(
	"timeseries: invalid options: Patience, Attempts, Parallel and all limits must not be negative")

// defaultParallel is below the 10 idle connections that the client of the SDK keeps by default.
const defaultParallel = 8

// complete returns o with all defaults; o may be nil.
func (o *Options) complete() (*Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Patience < 0 || out.Attempts < 0 || out.Parallel < 0 || out.Limits.Negative() {
		return nil, errOptions
	}
	out.Limits = out.Limits.Complete()
	out.Parallel = cmp.Or(out.Parallel, defaultParallel)
	if out.Now == nil {
		out.Now = time.Now
	}
	if out.Rand == nil {
		out.Rand = rand.Reader
	}
	if n := len(out.CursorKey); n > 0 && n < leastKeyBytes {
		return nil, fmt.Errorf("timeseries: CursorKey has %d bytes, which can be guessed: "+
			"give it at least %d, or none for a random one", n, leastKeyBytes)
	}
	if len(out.CursorKey) == 0 {
		out.CursorKey = make([]byte, cursorKeyBytes)
		if _, err := io.ReadFull(out.Rand, out.CursorKey); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// cursorKeyBytes is the length of a key for HMAC-SHA-256.
const cursorKeyBytes = 32

// leastKeyBytes is the least length of a key, as for the deployed functions.
const leastKeyBytes = 16

// clock returns Now in milliseconds.
func (o *Options) clock() func() model.Time {
	now := o.Now
	return func() model.Time { return model.NewTime(now()) }
}
