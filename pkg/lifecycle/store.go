package lifecycle

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Store is the table as the life of a subject sees it. Each method is one request with
// its conditions; the reply is what the server answered, never a conclusion. A read
// that could not be answered is an error, which may pass; an error of a write is only
// what no retry can mend. Implementations are safe for concurrent use.
type Store interface {
	Reader
	// Commit sends one transaction: all of it is stored, or nothing.
	Commit(ctx context.Context, tx Transaction) (Reply, error)
}

// Reader is the part of a Store that changes nothing: all that a Service needs where it
// is only asked.
type Reader interface {
	// GetItem reads one item, strongly consistent; nil where there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	// List reads one page of a partition, or of an index partition. Of the table it is
	// strongly consistent, of an index eventually.
	List(ctx context.Context, l Listing) (ListPage, error)
}

// Eraser removes what nobody may write any more.
type Eraser interface {
	// Erase removes items by one request, at most MaxErase of them, whatever they are;
	// that one is not there is no error. left are those that the server did not come to.
	Erase(ctx context.Context, these []keys.Key) (left []keys.Key, answer model.Answer, err error)
}

// MaxErase is how many items one request removes at most.
const MaxErase = 25

// What is asked of the table and answered by it, in the words of package table.
type (
	Listing     = table.Listing
	ListPage    = table.ListPage
	Place       = table.Place
	Transaction = table.Transaction
	Action      = table.Action
	Condition   = table.Condition
	Term        = table.Term
	Op          = table.Op
	Reply       = table.Reply
	Met         = table.Met
)

// MaxItems is how many items a transaction holds at most.
const MaxItems = table.MaxItems

// The terms of conditions.
const (
	Free  = table.Free
	There = table.There
	Is    = table.Is
	IsNot = table.IsNot
	Lacks = table.Lacks
)
