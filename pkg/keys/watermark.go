package keys

import "github.com/tidemark-db/tidemark/pkg/model"

// classJob begins partitions of what the functions keep for themselves.
const classJob = "JOB"

// JobAggregate is the partition of what aggregate keeps for itself: its watermark,
// and the gaps it found.
const JobAggregate = classJob + string(separator) + "aggregate"

const (
	classWatermark = "WATERMARK"
	classGap       = "GAP"
)

// Watermark is the key of aggregate's watermark.
func Watermark() Key { return Key{JobAggregate, classWatermark} }

// Gap is the key of a gap in the table stream that begins at a time; byte order is
// time order.
func Gap(from model.Time) Key { return Key{JobAggregate, join(classGap, from.String())} }

// ParseGap is the way back from Gap.
func ParseGap(k Key) (model.Time, error) {
	var p [2]string
	n, err := split(k.SK, p[:])
	if err != nil || n != 2 || p[0] != classGap || k.PK != JobAggregate {
		return 0, foreign(k, classGap, err)
	}
	from, err := model.ParseStored(p[1])
	if err != nil {
		return 0, foreign(k, classGap, err)
	}
	return from, nil
}
