package eventsource

import (
	"context"
	"encoding/json"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Source is a table stream. Implementations must be safe for concurrent reads of different
// shards. A shard is read by one goroutine at a time.
type Source interface {
	// Shards lists the existing stream shards. A parent that is not in the list cannot be
	// read any more.
	Shards(ctx context.Context) ([]Shard, error)
	// Read returns the records of a shard after the sequence number after, oldest first. If
	// after is "", it starts at the oldest record. An empty page that is not Closed means
	// that there are no new records yet: Read is called again with the same after, as it is
	// after an error.
	Read(ctx context.Context, shard, after string) (Page, error)
}

// Shard is a stream shard.
type Shard struct {
	ID     string
	Parent string // "" if it has none; the parent is read to its end first
}

// Page is the result of one read of a shard.
type Page struct {
	Records []Record
	Closed  bool // the shard has ended: no records follow
}

// Record is one table stream record.
type Record struct {
	Seq  string          // SequenceNumber
	Item string          // the primary key of the item in any form; records of an item are ordered
	At   model.Time      // time of the change, by the clock of the table
	Body json.RawMessage // as in the Records of Lambda's event
}
