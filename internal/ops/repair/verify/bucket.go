package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrManyEvents is the error of a bucket with more events than BucketVerifier.MaxEvents.
var ErrManyEvents = errors.New("the bucket has too many events to recount it here")

// BucketVerifier recounts single buckets of series whose events are stored, for readers. It is safe for
// concurrent use, and writes nothing.
type BucketVerifier struct {
	Store SeriesReader
	Now   func() model.Time
	// MaxEvents is how many events a bucket may have; 0 is any number.
	MaxEvents int
}

// BucketReport is what the recount of one bucket found.
type BucketReport struct {
	Finding
	Bucket tier.Bucket
	Stored int // events of the bucket that are stored
	// Late are stored events that arrived after the bucket had closed, in order of arrival.
	Late []model.Event
}

// Verify recounts the bucket of a tier that contains a time. It reads the events of the bucket, the rows in
// it and the rows above it. A bucket that differs is read again while it changes.
func (v *BucketVerifier) Verify(
	ctx context.Context, kind *catalog.Kind, series model.Series, unit tier.Unit, at model.Time,
) (BucketReport, error) {
	b := unit.BucketAt(at)
	_, level, ok := kind.Retention.Find(unit)
	if !ok {
		return BucketReport{}, fmt.Errorf("kind %s has no tier %s", kind.Name, unit)
	}
	c := counter{store: v.Store, now: v.Now, most: v.MaxEvents, keep: true}
	span := Span{From: b.Start, To: b.End}
	one, findings, err := c.recount(ctx, kind, series, span)
	if err != nil {
		return BucketReport{}, err
	}
	report := BucketReport{Bucket: b, Finding: one.finding(findings, level, b)}
	if !report.Status.OK() {
		if findings, err = c.confirmSpan(ctx, one, span); err != nil {
			return BucketReport{}, err
		}
		if len(findings) > 0 {
			one = findings[0].by
		}
		report.Finding = one.finding(findings, level, b)
	}
	report.addEvents(one, level)
	return report, nil
}

// finding returns what was found of one bucket. One without a row and events is equal to nothing, or expired.
func (r *recount) finding(all []found, level int, b tier.Bucket) Finding {
	key := r.key(level, b.Start)
	if i := slices.IndexFunc(all, func(f found) bool { return f.Key == key }); i >= 0 {
		return all[i].Finding
	}
	f := Finding{Key: key, Status: Equal, Exact: true, Detail: "there is no row, and no event is stored"}
	if mayHaveExpired(r.kind.Retention, level, b.Start, r.now, r.row) {
		f.Status, f.Exact = Expired, false
		f.Detail = "there is no row, and its events may have expired"
	}
	return f
}

// addEvents says of the events of the bucket how many there are, which arrived late and which cause a
// difference.
func (b *BucketReport) addEvents(one *recount, level int) {
	events := one.kept
	from := queue.LateFrom(one.kind.Retention, level, b.Bucket, one.series)
	b.Stored = len(events)
	b.Late = lists.Filter(events, func(e model.Event) bool { return e.ArrivedAt >= from })
	slices.SortStableFunc(b.Late, byArrival)
	if !b.Status.OK() && childLevel(one.kind.Retention, level, b.Bucket) == eventLevel {
		b.Events = explainDifference(one.stored[level][b.Bucket.Start], events)
	}
}
