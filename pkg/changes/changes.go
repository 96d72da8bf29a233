// Package changes is for Lambda functions of your own that read the table stream, such as one that sends new
// events to a browser or to a search index. A Handler decodes each batch into values of your type, calls a
// function with each change of an event, a profile or an alert, and returns which records Lambda must deliver
// again. Connect it by an event source mapping with ReportBatchItemFailures.
package changes

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Type is what happened to an event or to a profile.
type Type string

// The types of changes of events.
const (
	Inserted  Type = "inserted"  // by an append or an import
	Corrected Type = "corrected" // its fields were replaced
	Deleted   Type = "deleted"   // by a user or a purge; a profile can be restored until it is purged
	Expired   Type = "expired"   // at the end of its retention; its rollups stay
)

// The types of changes of profiles, with Deleted and Expired.
const (
	Created  Type = "created"
	Updated  Type = "updated"
	Restored Type = "restored" // after it was deleted
)

// types are the changes by their form in this module.
var types = map[storage.ChangeType]Type{
	storage.Inserted: Inserted, storage.Corrected: Corrected, storage.Deleted: Deleted, storage.Expired: Expired,
}

// Change is one change of one event. Lambda may deliver it several times, and changes of one event in order.
type Change[T any] struct {
	Type Type
	// Before and After are the event before and after the change. Before is nil if it was inserted, or if the
	// record does not have it; After is nil if it was removed.
	Before, After *T
	Key           timeseries.Key // the event's series
	At            time.Time      // when the table changed, in whole seconds
	ID            string         // the same for each delivery of the change; "" if the record has none
}

// Poison is a record that can never be handled: its key cannot be read, or T cannot hold its event.
type Poison struct {
	ID     string    // the same for each delivery; "" if it cannot be read
	At     time.Time // when the table changed
	Reason string
	Record []byte // as delivered; nil if only T cannot hold the event
}

// decode returns the change as values of T. The error says why T cannot hold one of them.
func decode[T any](events *timeseries.Events[T], c *storage.Change) (Change[T], error) {
	series := c.Key.Series
	out := Change[T]{
		Type: types[c.Type], Key: timeseries.Key{Subject: series.Subject.ID, Stream: series.Stream},
		At: c.At.Time(), ID: c.EventID,
	}
	var err error
	if out.Before, err = value(events, c, c.Before); err != nil {
		return out, err
	}
	after := c.After
	if after == nil && (c.Type == storage.Inserted || c.Type == storage.Corrected) {
		after = &model.Event{Unreadable: true}
	}
	out.After, err = value(events, c, after)
	return out, err
}

// value returns an image as a value of T; nil if there is no image.
func value[T any](events *timeseries.Events[T], c *storage.Change, image *model.Event) (*T, error) {
	if image == nil {
		return nil, nil
	}
	event := *image
	event.Series, event.Order = c.Key.Series, c.Key.Order
	v, err := events.Decode(event)
	if err != nil {
		return nil, err
	}
	return &v, nil
}
