package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
)

// Faults are faults of delivery, more frequent than in AWS: batches are delivered again or in
// different pieces, and functions crash. The zero value has no faults.
type Faults struct {
	Seed  uint64 // of the random choices: the same batches in the same order have the same faults
	Again int    // one batch in this many is delivered again after its acknowledgement; 0: none
	Recut int    // one batch in this many is delivered in two overlapping pieces; 0: none
	Kills []Shot
}

// Shot kills the function with SIGKILL while it has a batch.
type Shot struct {
	Batch int    // counted from 1, in order of delivery
	At    Moment // Running or Responding
}

// victim is a function that can be killed.
type victim interface {
	Invoker
	KillNext(at Moment)
}

// delivery adds the faults between the mapping and the function, passes each payload to the tap and
// counts deliveries.
type delivery struct {
	function victim
	faults   Faults
	tap      func(payload []byte) // may be nil
	throttle func()               // begins a time in which the table refuses the function's requests

	batches, again, recut, invocations, failed, counted atomic.Int64
	target                                              atomic.Pointer[target]
}

var _ eventsource.Invoke = (*delivery)(nil).invoke

// invoke delivers one batch with its faults.
func (d *delivery) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	n := d.batches.Add(1)
	for _, shot := range d.faults.Kills {
		if int64(shot.Batch) == n {
			d.function.KillNext(shot.At)
		}
	}
	draw, fault := drawFrom(d.faults.Seed, n), d.takeFault(payload)
	again, recut := oneIn(draw, d.faults.Again) || fault == "again",
		oneIn(draw, d.faults.Recut) || fault == "recut"
	switch fault {
	case "kill":
		d.function.KillNext(Responding)
	case "throttle":
		d.throttle()
	}
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

// sendAll returns the response to the last piece, or to the first one that was not acknowledged
// completely. The pieces after that one are not sent.
func (d *delivery) sendAll(ctx context.Context, pieces [][]byte) (response []byte, err error) {
	for _, piece := range pieces {
		d.invocations.Add(1)
		d.counted.Add(int64(d.count(piece)))
		if d.tap != nil {
			d.tap(piece)
		}
		if response, err = d.function.Invoke(ctx, piece); err != nil {
			d.failed.Add(1)
			return nil, err
		}
		if !acknowledged(response) {
			d.failed.Add(1)
			return response, nil
		}
	}
	return response, nil
}

// drawFrom returns the random source of one batch, so that its faults do not depend on other batches.
func drawFrom(seed uint64, batch int64) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(batch))) }

func oneIn(draw *rand.Rand, n int) bool { return n > 0 && draw.IntN(n) == 0 }

// batch has the records of a payload, not decoded.
type batch struct {
	Records []json.RawMessage `json:"Records"`
}

// cut returns two payloads that together contain all records, and overlap.
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

// acknowledged reports whether the response has no failed record.
func acknowledged(response []byte) bool {
	var a struct {
		Failures []json.RawMessage `json:"batchItemFailures"`
	}
	return len(response) == 0 || json.Unmarshal(response, &a) == nil && len(a.Failures) == 0
}
