package repair_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/streamrange"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// queue is a queue of messages; removed has the IDs of those that were removed.
type queue struct {
	waiting []onfailure.Message
	removed []string
	fail    error // of Remove
}

func (q *queue) Receive(context.Context) (all []onfailure.Message, _ error) {
	all, q.waiting = q.waiting, nil
	return all, nil
}

func (q *queue) Remove(_ context.Context, m onfailure.Message) error {
	if q.fail == nil {
		q.removed = append(q.removed, m.ID)
	}
	return q.fail
}

// message returns a message whose range begins with a sequence number.
func (f *fixture) message(id string, at model.Time) onfailure.Message {
	return onfailure.Message{ID: id, Handle: id,
		Body: fmt.Appendf(nil, `{"DDBStreamBatchInfo":{"shardId":"s","startSequenceNumber":%q,`+
			`"endSequenceNumber":%q,"approximateArrivalOfFirstRecord":%q,"approximateArrivalOfLastRecord":%q,"streamArn":"arn"}}`, id, id, at, at)}
}

// ranges are pages of table streams by the first sequence number of their range; a
// range without a page is trimmed.
type ranges map[string]streamrange.Page

func (r ranges) Read(_ context.Context, g tablestream.FailedRange, visit func(streamrange.Page) error) error {
	page, ok := r[g.First]
	if !ok {
		return fmt.Errorf("read: %w", streamrange.ErrTrimmed)
	}
	return visit(page)
}

func newPage(changes ...storage.Change) streamrange.Page {
	return streamrange.Page{Batch: tablestream.Batch{Changes: changes}}
}

// redrive runs a Redriver and returns its messages' results.
func (f *fixture) redrive(q *queue, stream repair.RangeReader,
	dryRun bool) (*repair.RedriveReport, []repair.MessageResult, error) {
	var results []repair.MessageResult
	r := &repair.Redriver{
		Repairer: repair.Repairer{Table: f.Table, Catalog: f.catalog, Now: f.now, Aggregator: f.agg, DryRun: dryRun},
		Messages: q, Stream: stream,
		Alerts:    &alert.Service{Store: f.Table, Catalog: f.catalog, Now: f.now, Rand: rand.Reader},
		Lifecycle: &lifecycle.Service{Store: f.Table, Now: f.now, Rand: rand.Reader},
		OnMessage: func(m repair.MessageResult) { results = append(results, m) },
	}
	report, err := r.Run(f.Context())
	return report, results, err
}

func TestRedriver_RemovesAMessageOnlyAfterItsRangeIsProcessed(t *testing.T) {
	f := newFixture(t)
	change := f.store(deviceSeries("a"), "2026-04-20T10:00:00Z")
	damaged := []tablestream.Expiry{{Err: errors.New("damaged")}}
	stream := ranges{"1": newPage(change), "2": {Expiries: damaged}}
	messages := func() *queue {
		return &queue{waiting: []onfailure.Message{{ID: "0", Body: []byte("not a message")},
			f.message("2", f.now()), f.message("1", f.now())}}
	}

	q := messages()
	report, results, err := f.redrive(q, stream, true)
	if len(results) != 3 || results[2].Changes != 1 || report.Processed != 0 || len(q.removed) > 0 {
		t.Errorf("dry run: %+v, removed %v, %v; want nothing processed", results, q.removed, err)
	}
	f.wantWrong(3)

	q = messages()
	report, results, err = f.redrive(q, stream, false)
	var failed *repair.NotProcessedError
	if !errors.As(err, &failed) || failed.Failed != 2 || failed.Found != 3 || report.Processed != 1 {
		t.Errorf("report %+v, %v; want two of three to fail", report, err)
	}
	if !slices.Equal(q.removed, []string{"1"}) || results[2].Counts.Written != 3 || results[1].Err == nil {
		t.Errorf("removed %v, results %+v; want only the third removed", q.removed, results)
	}
	f.wantWrong(0)

	q = &queue{waiting: []onfailure.Message{f.message("1", f.now())}, fail: errors.New("no permission")}
	if report, _, err := f.redrive(q, stream, false); err == nil || report.Processed != 0 {
		t.Errorf("a message that cannot be removed: %+v, %v; want an error", report, err)
	}
	if report, _, err := f.redrive(&queue{}, stream, false); err != nil || report.Found != 0 {
		t.Errorf("without messages: %+v, %v", report, err)
	}
}

// The on-failure queue also has what the purge function failed to process.
func TestRedriver_EndsTheGenerationsWhoseTombstonesExpired(t *testing.T) {
	sensor, generation := model.Subject{Type: "DEVICE", ID: "sensor_01"}, model.Generation{1}
	stream := ranges{"1": {Expiries: []tablestream.Expiry{{},
		{Tombstone: &model.Profile{Subject: sensor, Version: 2, Generation: generation}}}}}
	for _, dryRun := range []bool{true, false} {
		f := newFixture(t)
		version := model.ProfileVersion{Profile: model.Profile{Subject: sensor, Version: 1, Generation: generation},
			Change: model.ProfileCreated}
		if err := f.PutItem(t.Context(), item.FromProfileVersion(&version)); err != nil {
			t.Fatal(err)
		}
		q := &queue{waiting: []onfailure.Message{f.message("1", f.now())}}
		_, results, err := f.redrive(q, stream, dryRun)
		left, _, _ := f.Scan(t.Context(), keys.Key{})
		if err != nil || results[0].Changes != 1 || (len(left) == 1) != dryRun || (len(q.removed) == 0) != dryRun {
			t.Errorf("dry run %t: %v; results %+v, %d versions left, removed %v", dryRun, err, results, len(left),
				q.removed)
		}
	}
}

// A table stream keeps changes for a day. Older ranges are repaired by arrival.
func TestRedriver_RepairsTrimmedRangesByArrival(t *testing.T) {
	f := newFixture(t)
	f.store(deviceSeries("a"), "2026-04-20T10:00:00Z")
	q := &queue{waiting: []onfailure.Message{f.message("gone", f.now())}}
	report, results, err := f.redrive(q, ranges{}, false)
	if err != nil || report.Arrival == nil || report.Processed != 1 ||
		!slices.Equal(q.removed, []string{"gone"}) {
		t.Fatalf("report %+v, removed %v, %v", report, q.removed, err)
	}
	if got, want := results[0].Trimmed,
		f.now().Add(30*tier.Day24); got == nil || got.ExpiresAt != want || got.Expired {
		t.Errorf("trimmed %+v, want raw events that expire on %s", got, want)
	}
	if len(report.Marked) > 0 {
		t.Errorf("marked %+v, want nothing marked before the raw events expire", report.Marked)
	}
	f.wantWrong(0)
}

// After the raw events expired it is not known what was lost.
func TestRedriver_MarksRowsInexactAfterTheRawEventsExpired(t *testing.T) {
	f := newFixture(t)
	f.process(f.store(deviceSeries("a"), "2026-04-21T14:00:00Z")) // arrives before the range
	f.clock.Add((2 * time.Hour).Milliseconds())
	at := f.now()
	f.clock.Add((31 * tier.Day24).Milliseconds())
	q := &queue{waiting: []onfailure.Message{f.message("gone", at)}}
	report, results, err := f.redrive(q, ranges{}, false)
	if err != nil || !results[0].Trimmed.Expired || len(report.Marked) != 1 || report.Marked[0].Changed == 0 {
		t.Fatalf("report %+v, results %+v, %v; want the range marked", report, results, err)
	}
	if f.row("a", "2026-04-21T14:00:00Z").Exact {
		t.Error("the hour of the range says exact")
	}
}

// A lost event may have been late, or ahead of its arrival: the range of its arrival does not
// say which bucket it belonged to.
func TestRedriver_MarksTheBucketsOfLateEventsAfterTheRawEventsExpired(t *testing.T) {
	f := newFixture(t)
	f.process(f.store(deviceSeries("a"), "2026-04-20T10:00:00Z"))
	f.process(f.store(deviceSeries("a"), "2026-04-21T11:00:00Z"))
	f.clock.Add((2 * time.Hour).Milliseconds())
	at := f.now()
	f.store(deviceSeries("a"), "2026-04-20T10:30:00Z") // late, in the range, and not processed
	f.clock.Add((2 * time.Hour).Milliseconds())
	f.process(f.store(deviceSeries("a"), "2026-04-21T15:30:00Z")) // after the range
	f.clock.Add((31*tier.Day24 - 2*time.Hour - time.Minute).Milliseconds())
	f.Expire(f.now())
	q := &queue{waiting: []onfailure.Message{f.message("gone", at)}}
	if _, _, err := f.redrive(q, ranges{}, false); err != nil {
		t.Fatal(err)
	}
	for hour, exact := range map[string]bool{"2026-04-20T10:00:00Z": false, "2026-04-21T11:00:00Z": false,
		"2026-04-21T15:00:00Z": true} {
		if row := f.row("a", hour); row.Exact != exact {
			t.Errorf("hour %s: exact %t, want %t", hour, row.Exact, exact)
		}
	}
}

// Raw events were kept for 7 days when the range was written, and are kept for 30 now.
func TestRedriver_JudgesExpiryByTheLeastRetentionEver(t *testing.T) {
	f := newFixture(t)
	f.catalog.Kinds[0].Retention.LeastRaw = 7 * tier.Day24
	q := &queue{waiting: []onfailure.Message{f.message("gone", f.now().Add(-8*tier.Day24))}}
	if _, results, err := f.redrive(q, ranges{}, false); err != nil || !results[0].Trimmed.Expired {
		t.Errorf("results %+v, %v; want the events of the range expired", results, err)
	}
}
