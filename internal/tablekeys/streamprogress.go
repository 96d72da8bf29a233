package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/keyparts"
	"github.com/tidemark-db/tidemark/internal/storedtime"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// classJob begins the partition keys of the functions' own state.
const classJob = "JOB"

// JobAggregate is the partition key of the state of the aggregate function: its stream
// progress, and the gaps that it found in the table stream.
const JobAggregate = classJob + string(separator) + "aggregate"

const (
	classStreamProgress = "WATERMARK"
	classGap            = "GAP"
	classHeartbeat      = "HEARTBEAT"
)

// Heartbeat returns the key of the item that the aggregate function writes on its schedule,
// so that the table stream has a record at least once a minute.
func Heartbeat() keys.Key { return keys.Key{PK: JobAggregate, SK: classHeartbeat} }

// StreamProgress returns the key of the aggregate function's stream progress.
func StreamProgress() keys.Key { return keys.Key{PK: JobAggregate, SK: classStreamProgress} }

// Gap returns the key of a gap in the table stream that begins at a time. The byte order
// of the sort keys is time order.
func Gap(from model.Time) keys.Key {
	return keys.Key{PK: JobAggregate, SK: keyparts.Join(classGap, from.String())}
}

// ParseGap is the inverse of Gap.
func ParseGap(k keys.Key) (model.Time, error) {
	text, err := parseJob(k, JobAggregate, classGap)
	if err != nil {
		return 0, err
	}
	from, err := storedtime.Parse(text)
	if err != nil {
		return 0, formError(k, classGap, err)
	}
	return from, nil
}
