package streamtest

import (
	"context"
	"encoding/json"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Source is a table stream. Implementations are safe for concurrent use by readers
// of different shards; one shard has one reader at a time.
type Source interface {
	// Shards lists the stream shards there are now. A shard whose parent is not in
	// the list has none that could still be read.
	Shards(ctx context.Context) ([]Shard, error)
	// Read returns the records of a shard that follow the one numbered after, oldest
	// first; after "" reads from the oldest that is kept. A page without records that
	// is not Closed means that there is nothing new yet: ask again with the same
	// after. An error is asked again too.
	Read(ctx context.Context, shard, after string) (Page, error)
}

// Shard is a piece of a table stream.
type Shard struct {
	ID     string
	Parent string // "" where it has none; a parent is read to its end first
}

// Page is what one read of a shard returned.
type Page struct {
	Records []Record
	Closed  bool // the shard has ended: nothing follows these records
}

// Record is one table stream record.
type Record struct {
	Seq  string          // SequenceNumber
	Item string          // the item's primary key in any form: order holds per item only
	At   model.Time      // when the change was made, by the table's clock
	Body json.RawMessage // as it stands in the Records of Lambda's event
}
