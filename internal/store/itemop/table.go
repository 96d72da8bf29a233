// Package table holds the general requests to the table: pages of a partition or of an index, and
// transactions on complete items. A use case whose items need no special request lists in its own interface
// which of these it sends. A store reports what the server said and makes no decision.
package itemop

import (
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ListRequest requests one page of the items of a partition.
type ListRequest struct {
	Index     string // "" is the table itself
	Partition string
	Prefix    string   // of the sort key; "" is the complete partition
	From, To  string   // bounds of the sort key, both included; an empty one is none; without a Prefix
	Newest    bool     // in descending order of the sort key
	Eventual  bool     // eventually consistent, for half the cost; an index always is
	Limit     int      // items; 0 means as many as one request returns (1 MB)
	After     Position // Next of the previous page; the zero Position is the start
}

// ListPage is one page in the requested order.
type ListPage struct {
	Items []item.Item
	Next  Position // the zero Position on the last page
}

// Position is the position of an item in a listing.
type Position struct {
	Key  keys.Key
	Sort string // its sort key in the index; "" in the table itself
}

// Transaction is one TransactWriteItems. A request with the same token within ten minutes is the same
// transaction: it returns Written if it was stored. A changed transaction needs a new token.
type Transaction struct {
	Token   string
	Actions []Action // at most MaxItems; each key once
}

// MaxItems is the number of items that one transaction can hold.
const MaxItems = 100

// MaxBatchReads is the number of items that one BatchGetItem reads.
const MaxBatchReads = 100

// MaxBatchWrites is the number of items that one BatchWriteItem puts or deletes.
const MaxBatchWrites = 25

// Action is what a transaction does with one item if its precondition holds. With none of
// Put, Set, Remove and Delete it only checks the precondition.
type Action struct {
	Key          keys.Key
	Precondition Precondition
	Where        model.Condition // a condition on the fields, in addition
	Put          item.Item       // the complete item, whose key is Key
	Set          item.Item       // attributes to set, without the key; others stay unchanged
	Remove       []string        // attributes to remove, in addition to Set
	Delete       bool
}

// Put is a complete item and a precondition on the item that it replaces.
type Put struct {
	Item         item.Item
	Precondition Precondition
}

// Puts returns the actions of puts.
func Puts(puts []Put) []Action {
	return lists.Map(puts, func(p Put) Action {
		return Action{Key: p.Item.Key(), Precondition: p.Precondition, Put: p.Item}
	})
}

// Precondition is a condition on one stored item. All of its requirements must hold.
type Precondition []Requirement

// RevisionIs requires that an item has the revision with which it was read; for the zero revision,
// that there is no item.
func RevisionIs(rev [16]byte) Precondition {
	if rev == ([16]byte{}) {
		return Precondition{{Op: ItemAbsent}}
	}
	return Precondition{{Op: AttrEquals, Attr: tablekeys.AttrRev, Value: item.Value{Type: item.B, B: rev[:]}}}
}

// MembershipsAre requires that a log of groups is as it was read; for nil, and one without entries, that
// there is none.
func MembershipsAre(m *storage.Memberships) Precondition {
	if m == nil || len(m.Log) == 0 {
		return Precondition{{Op: ItemAbsent}}
	}
	return Precondition{{Op: AttrEquals, Attr: tablekeys.AttrMemberships,
		Value: item.FromMemberships(m)[tablekeys.AttrMemberships]}}
}

// Requirement is one requirement on a stored item.
type Requirement struct {
	Op    RequirementOp
	Attr  string     // not used by ItemAbsent and ItemExists
	By    model.Op   // of AttrCompares and AttrAbsentOrCompares
	Value item.Value // not used by ItemAbsent, ItemExists and AttrAbsent
}

// RequirementOp is the kind of a requirement.
type RequirementOp int

// The requirements.
const (
	ItemAbsent  RequirementOp = iota + 1 // there is no item
	ItemExists                           // there is an item
	AttrEquals                           // the attribute exists and equals the value
	AttrDiffers                          // the attribute does not exist, or differs from the value
	AttrAbsent                           // the attribute does not exist
	// the attribute exists and compares to the value by an operator
	AttrCompares
	AttrAbsentOrCompares // the attribute does not exist, or compares to the value by an operator
)

// TransactResult is what the server said about a transaction.
type TransactResult struct {
	Result storage.WriteResult
	Cause  error // the client's error if the table did not decide; may be nil
	// Items has one entry for each action, in their order, if Result is ConditionFailed.
	Items []ItemResult
}

// ItemResult is what the server said about one action.
type ItemResult struct {
	Failed bool      // its precondition failed
	Old    item.Item // the item on which it failed; nil if there was none
}
