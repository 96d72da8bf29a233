package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// purge requests the purge of a member, or goes on with it.
func (w *history) purge(m *member) {
	if !m.purging {
		if w.now < m.lockedTo || len(m.sites) == 0 || !w.chance(6) {
			return
		}
		if _, err := w.purger.Request(w.Context(), m.subject(), "ops", 0); err != nil {
			if !errors.Is(err, errStopped) {
				w.Fatal(err)
			}
			return
		}
		w.meet(purgedTwice, m.purged > 0)
		w.meet(movedThenPurged, len(m.sites) > 1)
		w.meet(hallThenPurged, len(m.halls) > 1)
		m.purging, m.before = true, m.site
		m.purged++
	}
	w.fetch()
	w.meet(purgedUntold, slices.ContainsFunc(w.untold, func(body []byte) bool { return w.names(body, m) }))
	w.meet(purgedUnfolded, w.groupsWait())
	w.meet(purgedDuringFold, w.inside == "aggregate")
	got, err := w.purger.Advance(w.Context(), m.subject())
	if err != nil && !errors.Is(err, errStopped) {
		w.Fatal(err)
	}
	if got.Done {
		w.purgeDone(m)
	}
}

func (w *history) purgeDone(m *member) {
	for key, s := range w.samples {
		if s.member == m.id {
			delete(w.samples, key)
		}
	}
	*m = member{id: m.id, site: m.site, before: m.before, purged: m.purged,
		lockedTo: w.now.Add(3*day + time.Minute), sites: map[string]bool{}, halls: map[string]bool{}}
}

func (w *history) names(body []byte, m *member) bool {
	return slices.Contains(bodyKeys(body), keys.SubjectPartition(m.subject()))
}

func (w *history) groupsWait() bool {
	page, err := w.table.Invalidations(w.Context(), storage.GroupShard, model.MaxTime, "")
	if err != nil {
		w.Fatal(err)
	}
	return len(page.Invalidations) > 0
}

// fetch adds the new records of the table stream to those that are not processed.
func (w *history) fetch() {
	for _, r := range w.table.Records(w.seen) {
		w.seen = r.Seq
		if w.lossy && r.Name == memory.Remove && w.chance(2) && w.isPurging(r.Keys.PK) {
			w.meet(recordLost, true)
			continue
		}
		key := item.Item{keys.AttrPK: item.Value{Type: item.S, S: r.Keys.PK},
			keys.AttrSK: item.Value{Type: item.S, S: r.Keys.SK}}
		w.untold = append(w.untold, simstream.Body(&simstream.Change{Keys: key, Old: r.Old, New: r.New,
			Expired: r.Service}, r.At, "arn:aws:dynamodb:eu-west-1:000000000000:table/t/stream/1",
			strconv.FormatUint(r.Seq, 10)))
	}
}

// isPurging reports whether a partition key is of a member that is purged.
func (w *history) isPurging(pk string) bool {
	return slices.ContainsFunc(w.members, func(m *member) bool {
		return m.purging && strings.HasPrefix(pk, keys.SubjectPartition(m.subject()))
	})
}

// deliver processes the oldest records, some twice.
func (w *history) deliver(n int) {
	w.fetch()
	batch := w.untold[:min(len(w.untold), n*4)]
	if len(batch) == 0 {
		return
	}
	w.untold = slices.Clone(w.untold[len(batch):])
	bodies := make([]json.RawMessage, len(batch))
	for i, b := range batch {
		bodies[i] = b
	}
	payload, err := json.Marshal(map[string]any{"Records": bodies})
	if err != nil {
		w.Fatal(err)
	}
	decoded, err := new(tablestream.Decoder).Decode(payload)
	if err != nil || len(decoded.Poison) > 0 {
		w.Fatal(err, decoded.Poison)
	}
	report := w.agg.Process(w.invocation(), decoded.Changes)
	if len(report.Failures) > 0 || w.chance(10) {
		w.untold = append(slices.Clone(batch), w.untold...)
	}
	for _, f := range report.Failures {
		if !stopped(f.Err) {
			w.Fatal(f.Err)
		}
	}
}

// invocation returns the context of an invocation that may be killed.
func (w *history) invocation() (ctx context.Context) {
	ctx, w.stop = context.WithCancel(w.Context())
	return ctx
}

func stopped(err error) bool { return errors.Is(err, errStopped) || errors.Is(err, context.Canceled) }

// sweep sweeps one queue shard, or all of them, the groups last.
func (w *history) sweep(all bool) {
	shards := append(storage.FirstGeneration.QueueShards(), storage.GroupShard)
	if !all {
		n := w.dice.IntN(len(shards))
		shards = shards[n : n+1]
	}
	for _, shard := range shards {
		report, err := w.agg.Sweep(w.invocation(), shard)
		if err != nil && !stopped(err) {
			w.Fatal(err)
		}
		for _, f := range report.Failures {
			if !stopped(f.Err) {
				w.Fatal(f.Err)
			}
		}
	}
}

// settle ends the purges, processes every change, and sweeps until nothing is due.
func (w *history) settle() {
	for _, m := range w.members {
		for m.purging {
			w.now = w.now.Add(7 * time.Minute)
			w.purge(m)
		}
	}
	w.inside = "settle" // nothing interrupts from here on
	defer func() { w.inside = "" }()
	for range 6 {
		for w.fetch(); len(w.untold) > 0; w.fetch() {
			w.deliver(100)
		}
		w.now = w.now.Add(time.Duration(20+w.dice.IntN(50)) * time.Minute)
		w.sweep(true)
	}
	if w.chance(2) { // the day closes, too
		w.now = tier.Day.BucketAt(w.now).End.Add(2 * time.Hour)
		w.sweep(true)
		w.sweep(true)
	}
}
