package local

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/tidemark-db/tidemark/internal/eventsource"
)

// Faults are what a delivery may meet in the cloud, made frequent: the mapping's
// promise is at least once, cut anew on every retry, and functions die. The zero
// value is no faults.
type Faults struct {
	Seed  uint64 // of what is drawn: equal batches in equal order meet equal faults
	Again int    // one batch in so many is delivered again after it was acknowledged; 0: none
	Recut int    // one batch in so many is delivered in two overlapping pieces; 0: none
	Kills []Shot
}

// Shot kills the function with SIGKILL while it has a batch.
type Shot struct {
	Batch int    // counted from 1, in order of delivery
	At    Moment // Running or Answering
}

// prey is a function that deliveries go to, and that can be killed.
type victim interface {
	Invoker
	KillNext(at Moment)
}

// delivery stands between the mapping and the function: it makes the faults, shows
// each payload that goes out to the tap, and counts.
type delivery struct {
	function victim
	faults   Faults
	tap      func(payload []byte) // nil where nobody listens

	batches, again, recut, invocations, failed atomic.Int64
}

var _ eventsource.Invoke = (*delivery)(nil).invoke

// invoke delivers one batch of the mapping, with the faults drawn for it.
func (d *delivery) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	n := d.batches.Add(1)
	for _, shot := range d.faults.Kills {
		if int64(shot.Batch) == n {
			d.function.KillNext(shot.At)
		}
	}
	draw := drawFrom(d.faults.Seed, n)
	again, recut := oneIn(draw, d.faults.Again), oneIn(draw, d.faults.Recut)
	pieces := [][]byte{payload}
	if recut {
		var err error
		if pieces, err = cut(draw, payload); err != nil {
			return nil, err
		}
		d.recut.Add(1)
	}
	if again {
		pieces = append(pieces, payload)
		d.again.Add(1)
	}
	return d.sendAll(ctx, pieces)
}

// sendAll answers as the last piece did, or as the first that was not acknowledged
// whole: all after it comes again.
func (d *delivery) sendAll(ctx context.Context, pieces [][]byte) (answer []byte, err error) {
	for _, piece := range pieces {
		d.invocations.Add(1)
		if d.tap != nil {
			d.tap(piece)
		}
		if answer, err = d.function.Invoke(ctx, piece); err != nil {
			d.failed.Add(1)
			return nil, err
		}
		if !acknowledged(answer) {
			d.failed.Add(1)
			return answer, nil
		}
	}
	return answer, nil
}

// drawFrom is the source of a batch's faults: its own, so that they do not depend on
// what other batches drew meanwhile.
func drawFrom(seed uint64, batch int64) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(batch))) }

func oneIn(draw *rand.Rand, n int) bool { return n > 0 && draw.IntN(n) == 0 }

// batch is a payload's records, each left as it stands.
type batch struct {
	Records []json.RawMessage `json:"Records"`
}

// cut makes two payloads that cover all records and overlap in some: what a batch
// looks like whose first try was cut shorter and lost its acknowledgement.
func cut(draw *rand.Rand, payload []byte) ([][]byte, error) {
	var whole batch
	if err := json.Unmarshal(payload, &whole); err != nil {
		return nil, fmt.Errorf("cut a batch: %w", err)
	}
	n := len(whole.Records)
	if n < 2 {
		return [][]byte{payload}, nil
	}
	end := 1 + draw.IntN(n-1)
	start := draw.IntN(end + 1)
	var pieces [][]byte
	for _, records := range [][]json.RawMessage{whole.Records[:end], whole.Records[start:]} {
		piece, err := json.Marshal(batch{Records: records})
		if err != nil {
			return nil, fmt.Errorf("cut a batch: %w", err)
		}
		pieces = append(pieces, piece)
	}
	return pieces, nil
}

// acknowledged reports whether the answer names no failed record.
func acknowledged(answer []byte) bool {
	var a struct {
		Failures []json.RawMessage `json:"batchItemFailures"`
	}
	return len(answer) == 0 || json.Unmarshal(answer, &a) == nil && len(a.Failures) == 0
}
