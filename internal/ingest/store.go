package ingest

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Store is the table as append sees it. Each method is one request with its
// conditions; the reply is what the server answered, never a conclusion. An error
// is returned only for what no retry can mend (a malformed request, missing
// permission, a cancelled context before anything was sent). Implementations are
// safe for concurrent use.
type Store interface {
	// Append sends one transaction: all of it is stored, or nothing.
	Append(ctx context.Context, tx Transaction) (Reply, error)
	// Put stores one event of a kind without current, alone: one write unit. The
	// Reply's Stored[0] is the event that is already there, where the answer is Refused.
	Put(ctx context.Context, event model.Event) (Reply, error)
}

// Quarantine keeps what an asynchronous door rejected; a repeat with the same ID
// changes nothing.
type Quarantine interface {
	Quarantine(ctx context.Context, q model.Quarantined) (model.Answer, error)
}

// Transaction is one TransactWriteItems: at most 100 items in all.
type Transaction struct {
	// Token makes a repeat within ten minutes harmless: a transaction that was stored
	// answers Written again. A changed transaction needs a new token.
	Token   string
	Current *CurrentWrite    // nil where no event of the batch is newer than current
	Check   *CurrentCheck    // a caller's condition on a late event; never beside Current
	Gate    *model.Subject   // where set: this subject's purge gate must be absent
	Puts    []model.Event    // each on condition that its identity is not stored
	Absent  []model.EventKey // identities that must not be stored (late ones that are dropped)
}

// CurrentWrite changes a series' current.
type CurrentWrite struct {
	Series model.Series
	// Create asks for an item without order attribute (or no item); else the stored
	// order must lie strictly before First. Either way the fence must be absent.
	Create bool
	// OrCreate takes either: no order attribute, or one before First.
	OrCreate bool
	First    model.Order // the first record high: what the condition compares with
	Last     model.Order // the last record high: the order that is written
	Hash     model.Hash  // payload identity of the last record high
	Set      model.Attrs // union of the record highs' fields, later wins; nothing else is touched
	Now      model.Time  // createdAt, where there is none yet
	Where    Condition   // the caller's own condition, in addition
	// Entries are the indexes in which current is to stand elsewhere, or no more; it
	// stays where it is in the others.
	Entries []IndexEntry
}

// CurrentCheck is a caller's condition on current, without a write.
type CurrentCheck struct {
	Series model.Series
	Where  Condition
}

// Condition is a caller's own condition on current: every term must hold.
type Condition = model.Condition

// Term compares one attribute of current with a value.
type Term = model.Term

// Op is a comparison.
type Op = model.Op

// The comparisons of a condition.
const (
	Equal    = model.Equal
	NotEqual = model.NotEqual
	Less     = model.Less
	AtMost   = model.AtMost
	Greater  = model.Greater
	AtLeast  = model.AtLeast
	Begins   = model.Begins
	Exists   = model.Exists
	Missing  = model.Missing
)

// Reply is what the server answered to a write.
type Reply struct {
	Answer model.Answer
	// Where the answer is Refused: which conditions failed, with the items as they
	// stood.
	CurrentFailed bool           // the condition of Current or Check
	Current       *model.Current // the item it failed on; nil where there was none
	GateFailed    bool           // the subject is being purged
	// Stored has, at the place of each Put (then each Absent), the event that was
	// found there; nil where that condition held. Its length is len(Puts)+len(Absent).
	Stored []*model.Event
}
