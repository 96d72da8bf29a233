package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// One invocation in so many has a fault.
const (
	againOne  = 5  // the batch is delivered again, after the next one
	recutOne  = 5  // the batch is delivered in two pieces
	killedOne = 4  // the invocation of a batch is killed between two writes
	sweptOne  = 10 // a sweep is
)

// sweepEvery is the time between two sweeps.
const sweepEvery = 5 * time.Minute

// slice is as short as devices send.
func (p *inProcess) slice() time.Duration { return 10 * time.Minute }

// moveClock moves the clock, and sweeps the queue meanwhile.
func (p *inProcess) moveClock(ctx context.Context, to time.Time) error {
	for end := model.NewTime(to); p.now < end; {
		p.now = min(end, p.now.Add(sweepEvery))
		shards, err := p.agg.QueueShards(ctx)
		if err != nil {
			return err
		}
		for _, shard := range shards {
			if err := p.sweep(ctx, shard.QueueShard); err != nil {
				return err
			}
		}
		if err := p.deliverNew(ctx); err != nil {
			return err
		}
	}
	return nil
}

// post appends readings, and delivers their records.
func (p *inProcess) post(ctx context.Context, all []reading) error {
	kind, _ := p.kinds.Kind("READING")
	for len(all) > 0 {
		part := all[:min(len(all), perRequest)]
		all = all[len(part):]
		observations := make([]ingest.TypedObservation, len(part))
		for i, r := range part {
			value, err := model.ParseDecimal(string(r.Temperature))
			if err != nil {
				return err
			}
			observations[i] = ingest.TypedObservation{Subject: r.Device, At: r.At, Attrs: model.Attrs{
				{Name: "line", Value: model.TextValue(r.Line)},
				{Name: "model", Value: model.TextValue(r.Model)},
				{Name: "site", Value: model.TextValue(r.Site)},
				{Name: "temperature", Value: model.NumberValue(value)},
			}}
		}
		results, err := p.ingest.AppendEvents(ctx, kind, observations)
		if err != nil {
			return err
		}
		for i, got := range results {
			switch got.Outcome {
			case model.Applied, model.Late:
				p.units.events++
			case model.Duplicate:
			default:
				return fmt.Errorf("reading %+v: %s", part[i], got.Outcome)
			}
		}
		if err := p.deliverNew(ctx); err != nil {
			return err
		}
	}
	return nil
}

// deliverNew delivers the records of events that are new.
func (p *inProcess) deliverNew(ctx context.Context) error {
	var batch []json.RawMessage
	for _, r := range p.table.Records(p.seen) {
		p.seen = r.Seq
		if _, err := keys.ParseEvent(r.Keys); err != nil {
			continue // the filter of the event source mapping
		}
		key := item.Item{keys.AttrPK: item.Value{Type: item.S, S: r.Keys.PK},
			keys.AttrSK: item.Value{Type: item.S, S: r.Keys.SK}}
		batch = append(batch, simstream.Body(&simstream.Change{Keys: key, Old: r.Old, New: r.New}, r.At,
			"arn:aws:dynamodb:eu-west-1:000000000000:table/t/stream/1", strconv.FormatUint(r.Seq, 10)))
	}
	p.table.Trim(p.seen)
	pieces := [][]json.RawMessage{batch}
	if len(batch) > 1 && p.oneIn(recutOne) {
		p.stats.Recut++
		at := 1 + p.dice.IntN(len(batch)-1)
		pieces = [][]json.RawMessage{batch[:at], batch[at:]}
	}
	if p.again != nil {
		p.stats.Again++
		pieces = append(pieces, p.again)
		p.again = nil
	}
	if p.oneIn(againOne) {
		p.again = batch
	}
	for _, piece := range pieces {
		if err := p.deliver(ctx, piece); err != nil {
			return err
		}
	}
	return nil
}

// deliver delivers records until an invocation has processed them.
func (p *inProcess) deliver(ctx context.Context, bodies []json.RawMessage) error {
	if len(bodies) == 0 {
		return nil
	}
	payload, err := json.Marshal(map[string]any{"Records": bodies})
	if err != nil {
		return err
	}
	batch, err := new(tablestream.Decoder).Decode(payload)
	if err != nil {
		return err
	}
	for {
		p.stats.Batches++
		var failed error
		killed := p.invoke(ctx, killedOne, func(ctx context.Context) {
			if report := p.agg.Process(ctx, batch.Changes); len(report.Failures) > 0 {
				failed = report.Failures[0].Err
			}
		})
		if !killed {
			return failed
		}
	}
}
