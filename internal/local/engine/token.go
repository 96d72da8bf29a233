package engine

import (
	"crypto/sha256"
	"errors"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// tokenLifetime is how long a transaction's token is remembered.
const tokenLifetime = 10 * time.Minute

// MaxTokenBytes is the longest token.
const MaxTokenBytes = 36

// ErrTokenReused reports a token that was used for another transaction.
var ErrTokenReused = errors.New(
	"the token was used for another transaction within the last ten minutes: use a new one for a changed " +
		"transaction")

// Transaction is a transaction that was stored with a token: a hash of its content, and when.
type Transaction struct {
	Content [sha256.Size]byte
	At      model.Time
}

// tokens are the tokens of the last ten minutes.
type tokens struct {
	stored map[string]Transaction
	order  []string // oldest first
}

// repeats reports whether a transaction with this token and content was already stored.
func (t *tokens) repeats(token string, content [sha256.Size]byte, now model.Time) (bool, error) {
	was, known := t.stored[token]
	switch {
	case token == "" || !known || now.Sub(was.At) >= tokenLifetime:
		return false, nil
	case was.Content != content:
		return false, ErrTokenReused
	default:
		return true, nil
	}
}

// add remembers a transaction, and forgets those whose tokens have expired. It returns their tokens.
func (t *tokens) add(token string, tx Transaction) (expired []string) {
	for len(t.order) > 0 && tx.At.Sub(t.stored[t.order[0]].At) >= tokenLifetime {
		expired, t.order = append(expired, t.order[0]), t.order[1:]
		delete(t.stored, expired[len(expired)-1])
	}
	if _, known := t.stored[token]; !known {
		t.order = append(t.order, token)
	}
	t.stored[token] = tx
	return expired
}
