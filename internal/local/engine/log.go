package engine

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Log keeps the commits of a table, so that it can be opened again. Append is called in the order of the
// commits, one at a time, and returns at once; the commit must be kept as it is until Pending returns.
type Log interface {
	Append(c *Commit) Pending
	// Last waits for everything appended so far.
	Last() Pending
}

// Pending waits until a commit is kept; nil if there is nothing to wait for. It may be called repeatedly.
type Pending func() error

// Wait waits until a commit is kept.
func (p Pending) Wait() error {
	if p == nil {
		return nil
	}
	return p()
}

// Commit is what one request changed. It is kept completely or not at all.
type Commit struct {
	Changes []Change // of items that are not as they were
	Records []Record // of the table stream
	Trimmed uint64   // the stream begins after this Seq; 0 if it has not been trimmed now
	Shards  []Shard  // all of the stream; nil if they have not changed

	Token       string // "" for none
	Transaction Transaction
	Expired     []string // tokens that need not be kept any longer
}

// add adds a change with its record; nil for a change that writes none.
func (c *Commit) add(change Change, record *Record) {
	if !EqualItems(change.Old, change.New) {
		c.Changes = append(c.Changes, change)
	}
	if record != nil {
		c.Records = append(c.Records, *record)
	}
}

// append hands a commit to the log. The caller holds mu.
func (t *Table) append(c *Commit) Pending {
	if t.log == nil {
		return nil
	}
	if len(c.Changes) == 0 && c.Token == "" && c.Trimmed == 0 && c.Shards == nil {
		return t.log.Last()
	}
	return t.log.Append(c)
}

// stored waits for everything that the table has committed so far. The caller holds mu.
func (t *Table) stored() Pending {
	if t.log == nil {
		return nil
	}
	return t.log.Last()
}

// State is what a table is restored from.
type State struct {
	Items   iter.Seq2[keys.Key, item.Item]
	Records iter.Seq[Record] // in order of Seq
	Trimmed uint64
	Shards  []Shard                // nil for a new table
	Tokens  map[string]Transaction // of the last ten minutes; older ones are forgotten
}

// Restore fills a new table, and keeps what it commits from then on in a log. Call it before any other
// method.
func (t *Table) Restore(s State, log Log) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log = log
	if s.Items != nil {
		for k, it := range s.Items {
			t.put(Change{Key: k, New: it})
		}
	}
	t.stream.trimmed = s.Trimmed
	if s.Records != nil {
		for r := range s.Records {
			t.stream.hold(&r, store(r.Old), t.share(r.Keys, store(r.New)))
		}
	}
	if s.Shards != nil {
		t.stream.shards = s.Shards
	}
	for _, token := range slices.SortedFunc(maps.Keys(s.Tokens), func(a, b string) int {
		return cmp.Compare(s.Tokens[a].At, s.Tokens[b].At)
	}) {
		t.tokens.add(token, s.Tokens[token])
	}
}

// share returns the same text as the table holds it, if it does. The caller holds mu.
func (t *Table) share(k keys.Key, s stored) stored {
	if held := t.held(k); held == s {
		return held
	}
	return s
}
