package ingest

import "github.com/tidemark-db/tidemark/pkg/model"

// maxEventBytes bounds an event as stored. An item of the table holds 400 KB, and
// current is one item for all that the events of a series ever named.
const maxEventBytes = 256 << 10

// What one transaction may hold: the table takes 100 items, and current and gate
// need one each; it takes 4 MB, and current alone may come to 400 KB; the expression
// that names the fields of current takes 4 KB.
const (
	maxTransactionEvents = 98
	maxTransactionBytes  = 3_500_000
	maxTransactionFields = 350
)

// itemOverhead is more than our own attributes of an event take, keys apart.
const itemOverhead = 200

// sizeOf is a close upper bound of an event's size by the table's count, given the
// length of its keys.
func sizeOf(keyBytes int, attrs model.Attrs) int {
	const numberBytes = 21
	n := keyBytes + itemOverhead
	for _, a := range attrs {
		n += len(a.Name) + len(a.Value.Text) + numberBytes
	}
	return n
}
