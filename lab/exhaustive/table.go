package exhaustive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// table is a content of the table. It is made by the writes that first led to it, on a
// table in memory, so that no content is possible that the real code could not write.
type table struct {
	id     int32
	parent *table
	write  func(*memory.Table) *response
	at     model.Time // of write

	items  []item.Item
	tokens string // of stored transactions: they decide what a repeat does
	events uint8  // that are stored
	revs   uint64 // revisions of rows

	mu    sync.Mutex // guards edges and checks
	edges map[edgeKey]edge
	right map[uint16]error // results of checks
}

type edgeKey struct {
	request *request
	at      model.Time
}

// edge is the effect of a request.
type edge struct {
	to       *table
	response *response
}

// tables makes tables. It is safe for concurrent use.
type tables struct {
	procs   *processes
	eventOf func(model.EventKey) int

	mu    sync.Mutex // guards known
	known map[string]*table
}

// empty returns the empty table.
func (ts *tables) empty() *table {
	return ts.of(memory.New(func() model.Time { return 0 }), nil, "", nil, 0)
}

// invalidations returns the queue.
func (t *table) invalidations() (all []storage.Invalidation) {
	for _, it := range t.items {
		if i, err := item.Invalidation(it); err == nil {
			all = append(all, i)
		}
	}
	return all
}

// apply carries out a request at a time.
func (ts *tables) apply(t *table, r *request, at model.Time) (*table, *response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := edgeKey{r, at}
	e, known := t.edges[key]
	if !known {
		content := t.replay(&at)
		reply := r.do(content)
		e = edge{t, ts.procs.response(reply)}
		if reply.wrote {
			e.to = ts.of(content, t, t.tokens+reply.token, r.do, at)
		}
		t.edges[key] = e
	}
	return e.to, e.response
}

// replay returns a table in memory with this content. Its clock is now.
func (t *table) replay(now *model.Time) *memory.Table {
	end := *now
	var path []*table
	for ; t.parent != nil; t = t.parent {
		path = append(path, t)
	}
	content := memory.New(func() model.Time { return *now })
	for _, w := range slices.Backward(path) {
		*now = w.at
		w.write(content)
	}
	*now = end
	return content
}

// of returns the table of a content that a write led to.
func (ts *tables) of(content *memory.Table, parent *table, tokens string, write func(*memory.Table) *response,
	at model.Time) *table {
	t := &table{parent: parent, tokens: tokens, write: write, at: at, edges: map[edgeKey]edge{},
		right: map[uint16]error{}}
	t.items = scan(content)
	var text strings.Builder
	text.WriteString(tokens)
	for _, it := range t.items {
		text.WriteString(itemText(it))
		if row, err := item.Row(it); err == nil {
			t.revs |= revSet(row.Rev)
		} else if e, err := item.Event(it); err == nil {
			t.events |= 1 << ts.eventOf(e.Key())
		}
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if known := ts.known[text.String()]; known != nil {
		return known
	}
	t.id = int32(len(ts.known) + 1)
	ts.known[text.String()] = t
	return t
}

func scan(content *memory.Table) []item.Item {
	all, next, err := content.Scan(context.Background(), keys.Key{})
	if err != nil || next != (keys.Key{}) {
		panic(fmt.Sprint("a small table in memory is read by one page: ", err))
	}
	return all
}

// itemText returns the content of an item, the same for equal items.
func itemText(it item.Item) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(it)) {
		v := it[name]
		fmt.Fprintf(&text, "%s=%v%q%x%v ", name, v.Type, v.S, v.B, v.Bool)
	}
	text.WriteByte('\n')
	return text.String()
}

// revSet returns the set of the number of a revision.
func revSet(rev rollup.Rev) uint64 {
	if rev == (rollup.Rev{}) {
		return 0
	}
	return 1 << rev[len(rev)-1]
}
