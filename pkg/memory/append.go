package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Limits of idempotency tokens.
const (
	tokenLifetime = 10 * time.Minute
	maxTokenBytes = 36
)

// storedTransaction is a transaction that was stored with a token: a hash of its content,
// and when.
type storedTransaction struct {
	content [sha256.Size]byte
	at      model.Time
}

// Append stores all of one transaction, or nothing.
func (t *Table) Append(ctx context.Context, tx ingest.AppendTransaction) (ingest.StoreResult, error) {
	reply := ingest.StoreResult{Result: storage.Unknown}
	if err := checkContext(ctx, "append"); err != nil {
		return reply, err
	}
	actions, err := appendActions(&tx)
	if err != nil {
		return reply, fmt.Errorf("append: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	content := contentHash(withoutToken(tx))
	stored, err := t.isRepeat(tx.Token, content)
	if stored {
		return ingest.StoreResult{Result: storage.Written}, nil
	}
	if err != nil {
		return reply, fmt.Errorf("append: %w", err)
	}
	failures, err := t.write(actions)
	if err != nil {
		return reply, fmt.Errorf("append: %w", err)
	}
	if failures != nil {
		return failedAppend(&tx, failures)
	}
	if tx.Token != "" {
		t.tokens[tx.Token] = storedTransaction{content: content, at: t.now()}
	}
	return ingest.StoreResult{Result: storage.Written}, nil
}

// isRepeat reports whether a transaction with this token and content was already stored.
// The caller holds mu.
func (t *Table) isRepeat(token string, content [sha256.Size]byte) (bool, error) {
	if len(token) > maxTokenBytes {
		return false, fmt.Errorf("%w: token of %d bytes: at most %d", errMalformed, len(token), maxTokenBytes)
	}
	before, known := t.tokens[token]
	if !known || t.now().Sub(before.at) >= tokenLifetime {
		return false, nil
	}
	if before.content != content {
		return false, errTokenReused
	}
	return true, nil
}

// contentHash returns a hash of a transaction without its token.
func contentHash(tx any) [sha256.Size]byte {
	encoded, _ := json.Marshal(tx) // plain data: cannot fail
	return sha256.Sum256(encoded)
}

// appendActions returns the actions of the transaction in the order of DynamoDB: the write
// or check of the latest item, the check of the purge lock, the puts, the checks of absent
// events.
func appendActions(tx *ingest.AppendTransaction) ([]action, error) {
	var out []action
	switch {
	case tx.Latest != nil && tx.Check != nil:
		return nil, fmt.Errorf("%w: the transaction both writes and checks the latest item", errMalformed)
	case tx.Latest != nil:
		out = append(out, latestAction(tx.Latest))
	case tx.Check != nil:
		out = append(out, action{key: keys.Latest(tx.Check.Series), condition: both(notOf(tx.Check.Not), satisfies(tx.Check.Condition))})
	}
	if err := errors.Join(validateConditions(tx)...); err != nil {
		return nil, err
	}
	if tx.PurgeLock != nil {
		out = append(out, action{key: tablekeys.PurgeLock(*tx.PurgeLock), condition: absent})
	}
	for i := range tx.Puts {
		e := &tx.Puts[i]
		out = append(out, action{key: keys.Event(e.Key()), condition: absent, change: replaceWith(item.FromEvent(e))})
	}
	for _, k := range tx.Absent {
		out = append(out, action{key: keys.Event(k), condition: absent})
	}
	if m := tx.Merge; m != nil {
		out = append(out, action{key: keys.Event(m.Event.Key()), condition: mergeable(m), change: replaceWith(item.FromEvent(&m.Event))})
	}
	return out, nil
}

// mergeable: the event has the hash that it was read with, and does not expire soon.
func mergeable(m *ingest.EventMerge) func(item.Item) bool {
	lasts := notExpiring(m.Now)
	return func(old item.Item) bool {
		return bytes.Equal(old[tablekeys.AttrHash].B, m.Was[:]) && lasts(old)
	}
}

// failedAppend returns the result of a transaction with a failed condition.
func failedAppend(tx *ingest.AppendTransaction, failures conditionFailures) (ingest.StoreResult, error) {
	reply := ingest.StoreResult{Result: storage.ConditionFailed}
	if tx.Latest != nil || tx.Check != nil {
		first := failures[0]
		failures = failures[1:]
		reply.LatestFailed = first.failed
		if first.failed && first.old != nil {
			latest, err := item.Latest(first.old)
			if err != nil {
				return ingest.StoreResult{Result: storage.Unknown}, fmt.Errorf("append: %w", err)
			}
			reply.Latest = &latest
		}
	}
	if tx.PurgeLock != nil {
		reply.PurgeLockFailed = failures[0].failed
		failures = failures[1:]
	}
	reply.Stored = make([]*model.Event, len(failures))
	for i, m := range failures {
		if m.failed {
			reply.Stored[i] = storedEvent(m.old)
			reply.Stored[i].Unreadable = reply.Stored[i].Unreadable || m.old == nil
		}
	}
	return reply, nil
}

// storedEvent returns the event of an item under an event's key.
func storedEvent(old item.Item) *model.Event {
	event, _ := item.Event(old)
	return &event
}

func withoutToken(tx ingest.AppendTransaction) ingest.AppendTransaction {
	tx.Token = ""
	return tx
}
