package aggregate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// StreamDoor is the door of what came in by the table stream.
const StreamDoor = "stream"

// SetAside keeps a record in quarantine, so that the table stream can move on without
// losing it. Door, arrival and expiry are filled in. The ID is the record's own, so a
// record that comes again is kept once.
func (a *Aggregator) SetAside(ctx context.Context, q model.Quarantined) error {
	now := a.Now()
	q.Door, q.ArrivedAt = StreamDoor, now
	q.ExpiresAt = now.Add(a.Limits.withDefaults().QuarantineFor).Seconds()
	err := a.insist(ctx, func(ctx context.Context) (model.Answer, error) {
		answer, err := a.Quarantine.Quarantine(ctx, q)
		if answer == model.Refused { // it is there already
			answer = model.Written
		}
		return answer, err
	})
	if err != nil {
		return fmt.Errorf("quarantine %s: %w", q.ID, err)
	}
	return nil
}

// setAsideStrangers quarantines changes of kinds that the catalog does not have. The
// events themselves stand in the table: once the kind is declared, a rebuild of the
// range makes their rollups.
func (a *Aggregator) setAsideStrangers(ctx context.Context, changes []model.Change, p piece, total *tally) {
	for _, i := range p.strangers {
		if err := a.SetAside(ctx, stranger(&changes[i])); err != nil {
			total.Failures = append(total.Failures, Failure{Change: i, Err: err})
			return
		}
		total.Quarantined++
	}
}

// stranger is the quarantined form of a change that was decoded but has no kind.
func stranger(c *model.Change) model.Quarantined {
	payload, _ := json.Marshal(map[string]string{ // strings only: it cannot fail
		"what":           c.What.String(),
		"subject":        c.Key.Series.Subject.String(),
		"kind":           c.Key.Series.Kind,
		"stream":         c.Key.Series.Stream,
		"time":           c.Key.At.String(),
		"id":             c.Key.ID,
		"sequenceNumber": c.Seq,
		"eventId":        c.EventID,
		"source":         c.Source,
	})
	return model.Quarantined{
		ID:      c.At.String() + "-" + c.EventID,
		Subject: c.Key.Series.Subject,
		Reason:  fmt.Sprintf("kind %q is not in the catalog: declare it in tidemark.yaml, deploy, and rebuild the range", c.Key.Series.Kind),
		Payload: payload,
	}
}
