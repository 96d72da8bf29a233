package ingest

import "github.com/tidemark-db/tidemark/pkg/model"

// maxEventBytes is the size limit of a stored event. An item of the table holds 400 KB, and
// the latest item holds every field that any event of the series has had.
const maxEventBytes = 256 << 10

// Limits of one transaction. The table accepts 100 items, of which the latest item and the
// purge lock need one each; 4 MB, of which the latest item may need 400 KB; and 4 KB for
// the expression that names the fields of the latest item.
const (
	maxTransactionEvents = 98
	maxTransactionBytes  = 3_500_000
	maxTransactionFields = 350
)

// itemOverhead is an upper bound of the size of our own attributes of an event, without
// its keys.
const itemOverhead = 200

// sizeOf returns a close upper bound of the size of an event as the table counts it.
func sizeOf(keyBytes int, attrs model.Attrs) int {
	const numberBytes = 21
	n := keyBytes + itemOverhead
	for _, a := range attrs {
		n += len(a.Name) + len(a.Value.Text) + numberBytes
	}
	return n
}
