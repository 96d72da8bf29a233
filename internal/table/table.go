// Package table is what can be asked of the table in general terms: pages of a
// partition or of an index, and transactions of whole items on conditions. The use cases
// that keep items of their own kind, and have no request of their own shape, say in
// their interfaces which of these they send; who holds the table answers what the server
// answered, never a conclusion.
package table

import (
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Listing asks for one page of the items of a partition.
type Listing struct {
	Index     string // "" is the table itself, else an index
	Partition string
	Prefix    string // of the sort key; "" is all of the partition
	Newest    bool   // from the greatest sort key down
	Limit     int    // items; 0 means as many as one request returns (1 MB)
	After     Place  // Next of the page before; the zero Place is the start
}

// ListPage is one page in the order asked for.
type ListPage struct {
	Items []item.Item
	Next  Place // the zero Place on the last page
}

// Place is a position in a listing: that of an item.
type Place struct {
	Key  keys.Key
	Sort string // its sort key in the index; "" in the table itself
}

// Transaction is one TransactWriteItems. A request with the same token within ten
// minutes is the same transaction: it answers Written if it was stored. A changed
// transaction needs a new token.
type Transaction struct {
	Token   string
	Actions []Action // at most MaxItems; no key twice
}

// MaxItems is how many items a transaction holds at most.
const MaxItems = 100

// Action is what a transaction does with one item, if its condition holds. Where
// neither Put, Set nor Delete is given, it only checks.
type Action struct {
	Key    keys.Key
	When   Condition
	Put    item.Item // the whole item; its key is Key
	Set    item.Item // attributes to set, the others left as they are; without key
	Remove []string  // attributes to remove, beside Set
	Delete bool
}

// Put is a whole item and what must be true of what stands in its place.
type Put struct {
	Item item.Item
	When Condition
}

// Condition is what must be true of the item as it stands: every term.
type Condition []Term

// Term is one thing that must be true of an item.
type Term struct {
	Op    Op
	Attr  string     // of Is, IsNot and Lacks
	Value item.Value // of Is and IsNot
}

// Op is a kind of term.
type Op int

// The terms.
const (
	Free  Op = iota + 1 // there is no item
	There               // there is an item
	Is                  // the attribute is there and equals the value
	IsNot               // there is no item, or its attribute is not there or differs from the value
	Lacks               // the attribute is not there
)

// Reply is what the server answered to a transaction.
type Reply struct {
	Answer model.Answer
	// Met has, at the place of each action, what it met; where the answer is Refused.
	Met []Met
}

// Met is what an action met.
type Met struct {
	Failed bool      // its condition failed
	Old    item.Item // the item it failed on; nil where there was none
}
