package memory

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/itemstore"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Limits of idempotency tokens.
const (
	tokenLifetime = 10 * time.Minute
	maxTokenBytes = 36
)

// storedTransaction is a transaction that was stored with a token: a hash of its content, and when.
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
	failures, err := t.transact(tx.Token, contentHash(withoutToken(tx)), actions)
	switch {
	case err != nil:
		return reply, fmt.Errorf("append: %w", err)
	case failures != nil:
		return itemstore.FailedAppend(&tx, failures)
	default:
		return ingest.StoreResult{Result: storage.Written}, nil
	}
}

// isRepeat reports whether a transaction with this token and content was already stored. The caller holds mu.
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
// or check of the latest item, and those of itemstore.EventActions.
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
	events, err := actionsOf(itemstore.EventActions(tx))
	return append(out, events...), err
}

func withoutToken(tx ingest.AppendTransaction) ingest.AppendTransaction {
	tx.Token = ""
	return tx
}
