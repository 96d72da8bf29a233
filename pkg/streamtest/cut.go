package streamtest

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// cut takes the next records as a batch.
func (l *simLane) cut(dice Dice) []Record {
	most := l.Settings.BatchSize
	if most == 0 {
		most = 100
	}
	n := min(most, len(l.records)-l.at)
	if l.strikes(dice, ShortBatch) {
		n = min(n, 1+dice.Pick("records", 3))
	}
	batch := make([]Record, n)
	for i := range batch {
		batch[i] = l.records[l.at+i].Record
	}
	return batch
}

// repeat has a batch delivered once more, beside the delivery that counts.
func (l *simLane) repeat(dice Dice, batch []Record) {
	if l.strikes(dice, Overtaking) {
		l.tellFault("", Overtaking, "%s", l.names(batch))
		l.again(dice.Of("overtaking"), batch, dice.Span("overtaking", 10*time.Second))
	}
	if l.strikes(dice, Duplicate) {
		most := []time.Duration{time.Minute, 30 * time.Minute, 4 * time.Hour, 25 * time.Hour}[dice.Pick("duplicate", 4)]
		l.again(dice.Of("duplicate"), batch, time.Second+dice.Span("again", most))
	}
}

func (l *simLane) again(dice Dice, batch []Record, wait time.Duration) {
	l.After(wait, func() {
		l.Invoke(l.invocation()+" (again)", dice, batch, func(bool) {})
	})
}

// recut has records come again that were acknowledged.
func (l *simLane) recut(dice Dice) {
	if l.recuts >= maxRecuts {
		return
	}
	back := 0
	if l.strikes(dice, ReplayFromStart) {
		back = l.at
		l.tellFault("", ReplayFromStart, "%s", l.shard.id)
	} else if l.strikes(dice, Recut) {
		back = min(l.at, 1+dice.Pick("recut", 6))
		l.tellFault("", Recut, "%s, %d records", l.shard.id, back)
	}
	for back > 0 && l.now.Sub(l.records[l.at-back].At) >= Kept {
		back--
	}
	if back > 0 {
		l.recuts++
		l.at -= back
	}
}

// trim loses the records that the table stream has not kept until now.
func (l *simLane) trim() {
	var lost []Record
	for ; l.at < len(l.records) && l.now.Sub(l.records[l.at].At) >= Kept; l.at++ {
		lost = append(lost, l.records[l.at].Record)
	}
	if len(lost) == 0 {
		return
	}
	l.Count("records lost: not kept until delivered")
	l.Tell("", "%s kept these no longer: %s", l.shard.id, l.names(lost))
	if l.Lost != nil {
		l.Lost(lost)
	}
}

// giveUp tells which records of the batch will not come again.
func (l *simLane) giveUp(g GivenUp, batch []Record) {
	if l.over {
		return
	}
	l.Count("batches given up: " + g.Condition)
	from := slices.IndexFunc(batch, func(r Record) bool { return r.Seq == g.First })
	gone := batch[from : from+g.Records]
	l.Tell("", "given up (%s): %s", g.Condition, l.names(gone))
	if l.Delivery.GivenUp != nil {
		l.Delivery.GivenUp(g, gone)
	}
}

// within are the records of a batch that a payload made of it holds, for a story.
func within(batch []Record, payload []byte) []Record {
	return slices.DeleteFunc(slices.Clone(batch), func(r Record) bool { return !bytes.Contains(payload, []byte(`"`+r.Seq+`"`)) })
}

// names are what records tell, for a story.
func (d *delivery) names(records []Record) string {
	if d.story == nil {
		return ""
	}
	told := map[string]string{}
	for _, sh := range slices.Concat(d.Stream.retired, d.Stream.shards) {
		for _, r := range sh.records {
			told[r.Seq] = r.change.String()
		}
	}
	names := make([]string, len(records))
	for i, r := range records {
		names[i] = told[r.Seq]
	}
	return strings.Join(names, ", ")
}
