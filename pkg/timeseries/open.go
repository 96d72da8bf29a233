package timeseries

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Store is the table. *dynamo.Table and *memory.Table are stores.
type Store interface {
	ingest.EditStore
	query.Store
}

// Events appends and reads the events of one kind as values of T. Create it with Open. It
// is safe for concurrent use.
type Events[T any] struct {
	declared  *catalog.Kind // kindOfTable returns the one to work with
	sources   []catalog.Kind
	members   *Events[T] // of a kind of groups
	store     Store
	unmanaged bool
	layout    *layout
	ingest    *ingest.Service
	editor    *ingest.Editor
	query     *query.Service
	table     tableKind
	// patience limits the time of one append; zero means no limit.
	patience time.Duration
}

// Open opens a kind with the tags of T, a struct:
//
//	tide:"subject"      the subject's id: a string
//	tide:"stream"       the stream: a string
//	tide:"time"         the event time: time.Time
//	tide:"order"        a number or text that orders the events, instead of a time
//	tide:"id"           the event's id: a string
//	tide:"measure"      a number to summarise; options: scale=9, percentiles, counter, wrap=32, mean=time
//	tide:"field"        any other attribute: a string, a boolean, a time, or a type with MarshalText and
//	                    UnmarshalText, such as netip.Addr and slog.Level, which is stored as that text
//	tide:"dimension"    a string, or such a type, to count by value; option: top=200
//	tide:"distinct"     a string, or such a type, whose distinct values to count
//	tide:"enrichment"   read from the latest item, written by Enrich, never by Append
//	tide:"arrived"      when the event was received: time.Time, only read
//	tide:"late"         whether the event was older than the latest item: a bool, only read
//	tide:"created"      when the series began, in its latest item: time.Time, only read
//
// Numbers are model.Decimal, integers and floats; a float is stored as its shortest decimal
// text. name=x stores a field under x. The default is the name in its json tag, or else the
// Go name in camel case (accountId for AccountID). A nil pointer, an empty string and a zero
// time are absent; a pointer to one of them is present. Fields without a tag are ignored.
//
// Tags must not contradict the kind. A kind that declares no measures, dimensions and
// distinct fields takes them from the tags, and so does one without enrichment. Kind returns
// the result. opts may be nil. The error joins an *Error for each mistake.
//
// A kind of sessions needs Options.Sources. Its rollups are read as for any kind. History returns the
// sessions of one key, with Where of its indexed field. Sessions cannot be appended: ErrRejected.
func Open[T any](store Store, kind catalog.Kind, opts *Options) (*Events[T], error) {
	if err := checkStore(store); err != nil {
		return nil, err
	}
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	layout, row, err := compile(reflect.TypeFor[T](), kind, o.Sources)
	if err != nil {
		return nil, err
	}
	service := newIngest(store, o)
	e := &Events[T]{
		declared:  row,
		sources:   o.Sources,
		store:     store,
		unmanaged: o.Unmanaged,
		layout:    layout,
		ingest:    service,
		editor:    &ingest.Editor{Service: service, Store: store},
		patience:  o.Patience,
	}
	e.query, err = e.newQuery(o.CursorKey)
	return e, err
}

func (e *Events[T]) newQuery(cursorKey []byte) (*query.Service, error) {
	reads, err := e.reader(e.store)
	return &query.Service{Store: reads, Now: e.ingest.Now, CursorKey: cursorKey}, err
}

// reader returns the store that folds open buckets of deferred tiers when they are read.
func (e *Events[T]) reader(store Store) (query.Store, error) {
	watermarks, ok := store.(query.LowWatermarks)
	switch {
	case ok:
		stream, _ := store.(query.StreamStates)
		return &query.Live{
			Store: store, Watermarks: watermarks, Stream: stream, Kind: e.kindToRead, Now: e.ingest.Now,
		}, nil
	case e.declared.Retention.HasDeferred():
		return nil, fmt.Errorf(
			"kind %s has deferred tiers, but the store %T has no low watermarks: use *dynamo.Table or *memory.Table",
			e.declared.Name, store)
	}
	return store, nil
}

// Kind returns the kind with everything that the tags added and all defaults. The
// configuration of the deployed functions must declare the same. Changes of the copy change nothing in e.
func (e *Events[T]) Kind() catalog.Kind {
	kind := *e.declared
	kind.Measures, kind.Dimensions = slices.Clone(kind.Measures), slices.Clone(kind.Dimensions)
	kind.Distinct, kind.Enrichment = slices.Clone(kind.Distinct), slices.Clone(kind.Enrichment)
	kind.LatestBy, kind.Goals = slices.Clone(kind.LatestBy), slices.Clone(kind.Goals)
	kind.Retention.Tiers = slices.Clone(kind.Retention.Tiers)
	return kind
}

// compile returns the layout of a model and its complete kind, or all mistakes.
func compile(t reflect.Type, kind catalog.Kind, sources []catalog.Kind) (*layout, *catalog.Kind, error) {
	c := checker{model: t.String(), sources: sources}
	if t.Kind() != reflect.Struct {
		c.report(AppendMissing, "", "a %s has no fields to append: want a struct with tide tags", t.Kind())
		return nil, nil, c.err()
	}
	c.columns, c.mistakes = readTags(t)
	if len(c.columns) == 0 && len(c.mistakes) == 0 {
		c.report(AppendMissing, "", "no field has a tide tag, so an append would write nothing: tag the fields")
		return nil, nil, c.err()
	}
	c.order(&kind)
	c.key(&kind)
	c.lifecycle()
	c.read()
	row := c.reconcile(kind)
	if row != nil {
		c.attributes(row)
	}
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	l := newLayout(c.columns)
	l.orderBy = row.OrderBy
	return l, row, nil
}

func (c *checker) err() error {
	return errors.Join(lists.Map(c.mistakes, func(m *Error) error { return m })...)
}

var errNoStore = errors.New("timeseries: the store is nil: pass the result of dynamo.New or memory.New")

// checkStore returns an error for a nil store, and for a table that was not made by its constructor: the
// first request would panic.
func checkStore(store any) error {
	v := reflect.ValueOf(store)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return errNoStore
	}
	if table, ok := store.(interface{ Valid() error }); ok {
		return table.Valid()
	}
	return nil
}
