package aggregate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// StreamSource is the source of records that the table stream delivered.
const StreamSource = "stream"

// Quarantine stores a record that cannot be processed, so that the table stream can move on without losing
// it. Source, arrival and expiry are filled in. A record with the same ID is stored once.
func (a *Aggregator) Quarantine(ctx context.Context, q storage.Quarantined) error {
	now := a.Now()
	q.Source, q.ArrivedAt = StreamSource, now
	q.ExpiresAt = now.Add(a.Limits.withDefaults().QuarantineRetention).Seconds()
	err := a.untilWritten(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		result, err := a.QuarantineStore.Quarantine(ctx, q)
		if result == storage.ConditionFailed { // it is stored already
			result = storage.Written
		}
		return result, err
	})
	if err != nil {
		return fmt.Errorf("quarantine %s: %w", q.ID, err)
	}
	return nil
}

// quarantineUnknownKinds quarantines changes of kinds that are not in the catalog. The
// events are in the table: once the kind is declared, a rebuild makes their rollups.
func (a *Aggregator) quarantineUnknownKinds(ctx context.Context, changes []storage.Change, c chunk,
	all *results) {
	for _, i := range c.unknownKinds {
		if err := a.Quarantine(ctx, unknownKind(&changes[i])); err != nil {
			all.fail(i, err)
			return
		}
		all.report.Quarantined++
	}
}

// unknownKind returns the quarantined form of a change whose kind is not in the catalog.
func unknownKind(c *storage.Change) storage.Quarantined {
	reason := fmt.Sprintf(
		"kind %q is not in the catalog: declare it in tidemark.yaml, deploy, and rebuild the range",
		c.Key.Series.Kind)
	return quarantined(c.At.String()+"-"+c.EventID, reason, c.Key.Series, map[string]string{
		"what": c.Type.String(), "time": c.Key.At.String(), "id": c.Key.ID,
		"sequenceNumber": c.Seq, "eventId": c.EventID, "source": c.Source,
	})
}

// quarantined returns a quarantined record of a series. Its payload has the series and the members of what.
func quarantined(id, reason string, s model.Series, what map[string]string) storage.Quarantined {
	what["subject"] = s.Subject.String()
	what["kind"] = s.Kind
	what["stream"] = s.Stream
	payload, _ := json.Marshal(what) // strings only: it cannot fail
	return storage.Quarantined{ID: id, Subject: s.Subject, Reason: reason, Payload: payload}
}
