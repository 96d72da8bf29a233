package memory

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// How long a token is remembered, and how long one may be.
const (
	tokenKept     = 10 * time.Minute
	maxTokenBytes = 36
)

// sent is a transaction that was stored: which one, and when.
type sent struct {
	content [sha256.Size]byte
	at      model.Time
}

// Append stores one transaction, or nothing of it.
func (t *Table) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	reply := ingest.Reply{Answer: model.Uncertain}
	if err := alive(ctx, "append"); err != nil {
		return reply, err
	}
	actions, err := actionsOf(&tx)
	if err != nil {
		return reply, fmt.Errorf("append: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	content := contentOf(withoutToken(tx))
	stored, err := t.repeated(tx.Token, content)
	if stored {
		return ingest.Reply{Answer: model.Written}, nil
	}
	if err != nil {
		return reply, fmt.Errorf("append: %w", err)
	}
	met, err := t.write(actions)
	if err != nil {
		return reply, fmt.Errorf("append: %w", err)
	}
	if met != nil {
		return refusal(&tx, met)
	}
	if tx.Token != "" {
		t.tokens[tx.Token] = sent{content: content, at: t.now()}
	}
	return ingest.Reply{Answer: model.Written}, nil
}

// repeated reports whether this very transaction was stored already. Callers hold mu.
func (t *Table) repeated(token string, content [sha256.Size]byte) (bool, error) {
	if len(token) > maxTokenBytes {
		return false, fmt.Errorf("%w: token of %d bytes: at most %d", ErrMalformed, len(token), maxTokenBytes)
	}
	before, known := t.tokens[token]
	if !known || t.now().Sub(before.at) >= tokenKept {
		return false, nil
	}
	if before.content != content {
		return false, ErrTokenReused
	}
	return true, nil
}

// contentOf tells transactions apart, by what they hold beside their token.
func contentOf(tx any) [sha256.Size]byte {
	encoded, _ := json.Marshal(tx) // plain data: cannot fail
	return sha256.Sum256(encoded)
}

// actionsOf are the items of the transaction: current (or the check of it), the
// gate, the puts, the absents.
func actionsOf(tx *ingest.Transaction) ([]action, error) {
	var out []action
	switch {
	case tx.Current != nil && tx.Check != nil:
		return nil, fmt.Errorf("%w: a transaction writes current or checks it, never both", ErrMalformed)
	case tx.Current != nil:
		out = append(out, writeCurrent(tx.Current))
	case tx.Check != nil:
		out = append(out, action{key: keys.Current(tx.Check.Series), holds: meets(tx.Check.Where)})
	}
	if err := errors.Join(checkWhere(tx)...); err != nil {
		return nil, err
	}
	if tx.Gate != nil {
		out = append(out, action{key: keys.Gate(*tx.Gate), holds: free})
	}
	for i := range tx.Puts {
		e := &tx.Puts[i]
		out = append(out, action{key: keys.Event(e.Key()), holds: free, become: whole(item.FromEvent(e))})
	}
	for _, k := range tx.Absent {
		out = append(out, action{key: keys.Event(k), holds: free})
	}
	return out, nil
}

// refusal is the reply to a transaction of which a condition failed.
func refusal(tx *ingest.Transaction, met refused) (ingest.Reply, error) {
	reply := ingest.Reply{Answer: model.Refused}
	if tx.Current != nil || tx.Check != nil {
		first := met[0]
		met = met[1:]
		reply.CurrentFailed = first.failed
		if first.failed && first.old != nil {
			current, err := item.Current(first.old)
			if err != nil {
				return ingest.Reply{Answer: model.Uncertain}, fmt.Errorf("append: %w", err)
			}
			reply.Current = &current
		}
	}
	if tx.Gate != nil {
		reply.GateFailed = met[0].failed
		met = met[1:]
	}
	reply.Stored = make([]*model.Event, len(met))
	for i, m := range met {
		if m.failed {
			reply.Stored[i] = storedEvent(m.old)
		}
	}
	return reply, nil
}

// storedEvent is an item under an event's key, which can always be read.
func storedEvent(old item.Item) *model.Event {
	event, _ := item.Event(old)
	return &event
}

func withoutToken(tx ingest.Transaction) ingest.Transaction {
	tx.Token = ""
	return tx
}
