package linear

import "context"

// Pick returns a random number from 0 to n-1 for a named choice.
type Pick func(name string, n int) int

// Operate carries out one random operation on one of the series. stage, from zero to one, is the
// part of the history that has passed: later events are newer.
func (c *Client) Operate(ctx context.Context, series []string, stage float64, pick Pick) {
	name := series[pick("series", len(series))]
	slot := 1 + uint8(min(Slots-1, max(0, int(stage*Slots)+pick("slot", 7)-4)))
	switch n := pick("operation", 26); {
	case n < 8:
		c.appendNew(ctx, name, slot, 0)
	case n < 10:
		c.appendAgain(ctx, name, pick)
	case n < 13:
		c.compareAndAppend(ctx, name, slot, pick)
	case n < 15:
		c.Delete(ctx, name, slot)
	case n < 17 && c.Log.Kind.HasLatest():
		c.ReadLatest(ctx, name)
	case n < 18:
		c.ReadEvent(ctx, name, slot)
	case n < 20:
		c.ReadRollups(ctx, name, pick("tier", len(c.Log.Kind.Retention.Tiers)))
	case n < 22:
		c.appendBatch(ctx, name, slot, pick)
	case n < 24:
		if payload := c.Log.newPayload(name, slot); payload != 0 {
			c.Correct(ctx, name, slot, payload)
		}
	case n < 25:
		c.Erase(ctx, name, slot, min(Slots, slot+uint8(pick("range", 3))))
	default:
		c.ReadHistory(ctx, name, slot, min(Slots, slot+uint8(pick("range", 3))))
	}
}

// appendBatch appends up to four new payloads, each of the next slot.
func (c *Client) appendBatch(ctx context.Context, series string, slot uint8, pick Pick) {
	var batch []uint8
	for next := slot; next <= min(Slots, slot+uint8(pick("batch", 4))); next++ {
		payload := c.Log.newPayload(series, next)
		if payload == 0 {
			break
		}
		batch = append(batch, payload)
	}
	c.AppendAll(ctx, series, slot, batch)
}

func (c *Client) appendNew(ctx context.Context, series string, slot, where uint8) {
	if payload := c.Log.newPayload(series, slot); payload != 0 {
		c.Append(ctx, series, slot, payload, where)
	}
}

// appendAgain sends a payload that some client has sent, as after a lost response.
func (c *Client) appendAgain(ctx context.Context, series string, pick Pick) {
	if slots := c.Log.sent(series); len(slots) > 0 {
		i := pick("again", len(slots))
		c.Append(ctx, series, slots[i], uint8(i+1), 0)
	}
}

// compareAndAppend reads the latest item and appends on condition that it is unchanged, or that it
// is still an older one.
func (c *Client) compareAndAppend(ctx context.Context, series string, slot uint8, pick Pick) {
	if !c.Log.Kind.HasLatest() {
		c.ReadEvent(ctx, series, slot)
		return
	}
	_, payload := c.ReadLatest(ctx, series)
	if sent := len(c.Log.sent(series)); payload != 0 && pick("condition", 2) == 1 {
		payload = uint8(1 + pick("older", sent))
	}
	if payload != 0 {
		c.appendNew(ctx, series, slot, payload)
	}
}
