// Package timeseries is the front door for Go programs: a kind of event opened as a
// Go type, whose tags say what each field is for. The tags are compiled once, when
// the kind is opened, and every mistake of configuration is answered there with a
// code of its own; what runs later is plain appends and reads.
//
// It takes the same decisions as the deployed functions, because it stands on the
// same use cases: ingest on the way in, query on the way out.
package timeseries

import (
	"errors"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Store is the table as this package needs it; *dynamo.Table and *memory.Table are
// stores.
type Store interface {
	ingest.Store
	query.Store
}

// Events is the events of one kind as values of T: append them, read them back, read
// their rollups. It is safe for concurrent use. Make one with Open.
type Events[T any] struct {
	kind  *catalog.Kind
	model *layout
	in    *ingest.Service
	out   *query.Service
}

// Option changes how a kind is opened.
type Option func(*options)

type options struct {
	now       func() model.Time
	limits    config.Limits
	cursorKey []byte
}

// WithClock sets the clock that arrivals, retention and reading go by; the default
// is the machine's.
func WithClock(now func() time.Time) Option {
	return func(o *options) { o.now = func() model.Time { return model.TimeOf(now()) } }
}

// WithLimits sets the limits of admission; the default is those of config.Default.
func WithLimits(limits config.Limits) Option {
	return func(o *options) { o.limits = limits }
}

// WithCursorKey sets the key that signs the cursors of pages: programs that go on with
// each other's pages share it. Iterations need none.
func WithCursorKey(key []byte) Option {
	return func(o *options) { o.cursorKey = key }
}

// Open compiles the tags of T, a struct, and opens the kind with them:
//
//	tide:"subject"      the subject's id: a string
//	tide:"stream"       the stream: a string
//	tide:"time"         the event time: time.Time or model.Time
//	tide:"id"           the event's id: a string
//	tide:"measure"      a number that is summarised; scale=9 and percentiles are its options
//	tide:"field"        any other attribute: a string, a boolean or a time
//	tide:"dimension"    a string counted by value; top=200 is its option
//	tide:"distinct"     a string whose distinct values are counted
//	tide:"enrichment"   read from current, never written by Append
//
// Numbers are model.Decimal, floats (by their shortest decimal text) and integers.
// name=x stores a field under x; without it that is the name of its json tag, else
// the Go name in small camel case (accountId for AccountID). A nil pointer, an empty string and a zero time
// are absent; a pointer to one is present. Fields without a tag are left alone.
//
// What the kind's row declares decides, and the tags may not contradict it; a row
// that declares nothing to be summarised takes that from the tags, and so does one
// that declares no enrichment. Kind has the row they make. The error joins every
// *Error there is.
func Open[T any](store Store, kind catalog.Kind, opts ...Option) (*Events[T], error) {
	o := options{now: func() model.Time { return model.TimeOf(time.Now()) }, limits: config.Default().Limits}
	for _, opt := range opts {
		opt(&o)
	}
	layout, row, err := compile(reflect.TypeFor[T](), kind)
	if err != nil {
		return nil, err
	}
	return &Events[T]{
		kind:  row,
		model: layout,
		in:    newIngest(store, o),
		out:   &query.Service{Store: store, Now: o.now, CursorKey: o.cursorKey},
	}, nil
}

// Kind is the row of the kind with what the tags added and every default filled in:
// what the configuration of the functions must say too.
func (e *Events[T]) Kind() catalog.Kind { return *e.kind }

// compile makes the layout of a model and the row of its kind, or every mistake.
func compile(t reflect.Type, kind catalog.Kind) (*layout, *catalog.Kind, error) {
	c := checker{model: t.String()}
	if t.Kind() != reflect.Struct {
		c.wrong(AppendMissing, "", "a %s has no fields to append: want a struct with tide tags", t.Kind())
		return nil, nil, c.err()
	}
	c.columns, c.mistakes = readTags(t)
	if len(c.columns) == 0 && len(c.mistakes) == 0 {
		c.wrong(AppendMissing, "", "no field has a tide tag, so nothing says what an append writes: tag the fields")
		return nil, nil, c.err()
	}
	c.order()
	c.key(&kind)
	c.lifecycle()
	row := c.reconcile(kind)
	if row != nil {
		c.attributes(row)
	}
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	return layoutOf(c.columns), row, nil
}

func (c *checker) err() error {
	found := make([]error, len(c.mistakes))
	for i, m := range c.mistakes {
		found[i] = m
	}
	return errors.Join(found...)
}
