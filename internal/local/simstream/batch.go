package simstream

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
)

// cut returns the next batch.
func (l *simLane) cut(dice Dice) []eventsource.Record {
	n := min(cmp.Or(l.Settings.BatchSize, 100), len(l.records)-l.at)
	if l.strikes(dice, ShortBatch) {
		n = min(n, 1+dice.Pick("records", 3))
	}
	batch := make([]eventsource.Record, n)
	for i := range batch {
		batch[i] = l.records[l.at+i].Record
	}
	return batch
}

// repeat delivers a batch again in addition to its regular delivery, if a fault strikes.
func (l *simLane) repeat(dice Dice, batch []eventsource.Record) {
	if l.strikes(dice, ConcurrentDelivery) {
		l.logFault("", ConcurrentDelivery, "%s", l.names(batch))
		l.redeliver(dice.Part("overtaking"), batch, dice.Span("overtaking", 10*time.Second))
	}
	if l.strikes(dice, Duplicate) {
		most := []time.Duration{time.Minute, 30 * time.Minute, 4 * time.Hour,
			25 * time.Hour}[dice.Pick("duplicate", 4)]
		l.redeliver(dice.Part("duplicate"), batch, time.Second+dice.Span("again", most))
	}
}

func (l *simLane) redeliver(dice Dice, batch []eventsource.Record, wait time.Duration) {
	l.After(wait, func() {
		l.Invoke(l.invocation()+" (again)", dice, batch, func(bool) {})
	})
}

// reread moves back to records that were acknowledged, if a fault strikes.
func (l *simLane) reread(dice Dice) {
	if l.rereads >= maxRereads {
		return
	}
	back := 0
	if l.strikes(dice, ReplayFromStart) {
		back = l.at
		l.logFault("", ReplayFromStart, "%s", l.shard.id)
	} else if l.strikes(dice, ShardReread) {
		back = min(l.at, 1+dice.Pick("recut", 6))
		l.logFault("", ShardReread, "%s, %d records", l.shard.id, back)
	}
	for back > 0 && l.now.Sub(l.records[l.at-back].At) >= Kept {
		back--
	}
	if back > 0 {
		l.rereads++
		l.at -= back
	}
}

// trim skips records that the table stream no longer keeps.
func (l *simLane) trim() {
	var lost []eventsource.Record
	for ; l.at < len(l.records) && l.now.Sub(l.records[l.at].At) >= Kept; l.at++ {
		lost = append(lost, l.records[l.at].Record)
	}
	if len(lost) == 0 {
		return
	}
	l.Count("records lost: expired before delivery")
	l.Logf("", "%s no longer keeps: %s", l.shard.id, l.names(lost))
	if l.Lost != nil {
		l.Lost(lost)
	}
}

// giveUp reports the records of the batch that will not be delivered again.
func (l *simLane) giveUp(g eventsource.GivenUp, batch []eventsource.Record) {
	if l.over {
		return
	}
	l.Count("batches given up: " + g.Condition)
	from := slices.IndexFunc(batch, func(r eventsource.Record) bool { return r.Seq == g.First })
	gone := batch[from : from+g.Records]
	l.Logf("", "given up (%s): %s", g.Condition, l.names(gone))
	if l.Delivery.GivenUp != nil {
		l.Delivery.GivenUp(g, gone)
	}
}

// within returns the records of a batch that a payload contains, for a trace.
func within(batch []eventsource.Record, payload []byte) []eventsource.Record {
	return slices.DeleteFunc(slices.Clone(batch), func(r eventsource.Record) bool {
		return !bytes.Contains(payload, []byte(`"`+r.Seq+`"`))
	})
}

// names returns the changes in records, for a trace.
func (d *delivery) names(records []eventsource.Record) string {
	if d.trace == nil {
		return ""
	}
	changes := map[string]string{}
	for _, sh := range slices.Concat(d.Stream.retired, d.Stream.shards) {
		for _, r := range sh.records {
			changes[r.Seq] = r.change.String()
		}
	}
	return strings.Join(lists.Map(records, func(r eventsource.Record) string { return changes[r.Seq] }), ", ")
}
