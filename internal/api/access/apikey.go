package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of keys.
var (
	ErrInvalidAPIKey = errors.New(
		"not a valid key for this route: unknown, revoked, rotated, or for other routes")
	ErrNoKey = errors.New("there is no valid key with this id: tidemark access key list shows them")
)

// APIKeyReader reads items of the table. It must be safe for concurrent use.
type APIKeyReader interface {
	// GetItem reads an item, strongly consistent; nil if there is none.
	GetItem(context.Context, keys.Key) (item.Item, error)
}

// APIKeyStore is the part of the table that keys need.
type APIKeyStore interface {
	APIKeyReader
	itemop.Lister
	PutAll(context.Context, []itemop.Put) (storage.WriteResult, error)
}

// CheckWriteKey returns the scope of the token of a write key, by one read. The error is ErrInvalidAPIKey, or
// the error of the read.
func CheckWriteKey(ctx context.Context, from APIKeyReader, token string, now model.Time) (Scope, error) {
	return checkKey(ctx, from, token, now, false)
}

// CheckReadKey is CheckWriteKey for the token of a read key.
func CheckReadKey(ctx context.Context, from APIKeyReader, token string, now model.Time) (Scope, error) {
	return checkKey(ctx, from, token, now, true)
}

// checkKey returns the scope of a token of a key that reads, or of one that writes.
func checkKey(
	ctx context.Context, from APIKeyReader, token string, now model.Time, reads bool,
) (Scope, error) {
	id, secret, ok := parseToken(token)
	if !ok {
		return Scope{}, ErrInvalidAPIKey
	}
	k, err := readAPIKey(ctx, from, id)
	switch {
	case errors.Is(err, ErrNoKey), err == nil && (k.RevokedAt != 0 || (len(k.Sites) > 0) != reads):
		return Scope{}, ErrInvalidAPIKey
	case err != nil:
		return Scope{}, err
	}
	for _, s := range k.Secrets {
		if (s.Until == 0 || now < s.Until) && subtle.ConstantTimeCompare(s.Hash, secretHash(secret)) == 1 {
			return scope(&k), nil
		}
	}
	return Scope{}, ErrInvalidAPIKey
}

// scope returns what a key allows.
func scope(k *storage.APIKey) Scope {
	return Scope{Key: k.ID, Subjects: k.Subjects, Kinds: k.Kinds, Sites: k.Sites}
}

// IsAPIKey reports whether text has the form of a token.
func IsAPIKey(text string) bool {
	_, _, ok := parseToken(text)
	return ok
}

// readAPIKey returns a key, which may be revoked, or ErrNoKey.
func readAPIKey(ctx context.Context, from APIKeyReader, id string) (storage.APIKey, error) {
	it, err := from.GetItem(ctx, tablekeys.WriteKey(id))
	if err != nil {
		return storage.APIKey{}, err
	}
	if it == nil {
		return storage.APIKey{}, ErrNoKey
	}
	return item.APIKey(it)
}

// APIKeys changes keys. It is safe for concurrent use if Rand is.
type APIKeys struct {
	Store APIKeyStore
	Now   func() model.Time
	Rand  io.Reader // of the pauses between attempts
}

// Create stores a new key with the name, scope and author of draft, and returns its token,
// which is not stored and cannot be read again. The token begins with the id of the key.
func (s *APIKeys) Create(ctx context.Context, draft storage.APIKey) (token string, err error) {
	k := draft
	k.ID, k.CreatedAt = strings.ToLower(rand.Text()[:idLength]), s.Now()
	token, hash := newToken(k.ID)
	k.Secrets = []storage.APISecret{{Hash: hash}}
	// The id is random, so a repeated request stores the same key.
	err = s.write(ctx, func(context.Context) ([]itemop.Put, error) {
		return []itemop.Put{{Item: item.FromAPIKey(&k)}}, nil
	})
	return token, wrap(err, "create key", draft.Name)
}

// Rotate gives a key another secret and returns its token. The former secret is valid for a
// time, in which its sender can be changed.
func (s *APIKeys) Rotate(ctx context.Context, id string, overlap time.Duration) (token string, err error) {
	token, hash := newToken(id)
	err = s.change(ctx, id, func(k *storage.APIKey) {
		k.Secrets[0].Until = s.Now().Add(overlap)
		k.Secrets = []storage.APISecret{{Hash: hash}, k.Secrets[0]}
	}, func(k *storage.APIKey) bool { return string(k.Secrets[0].Hash) == string(hash) })
	return token, wrap(err, "rotate key", id)
}

// Revoke ends a key. An authorizer's cache may accept it for another minute.
func (s *APIKeys) Revoke(ctx context.Context, id string) error {
	when := s.Now()
	err := s.change(ctx, id, func(k *storage.APIKey) {
		k.RevokedAt = when
	}, func(k *storage.APIKey) bool { return k.RevokedAt == when })
	return wrap(err, "revoke key", id)
}

// change writes a change of a key on condition that no other process has changed it. done
// reports whether a key already has the change, after a write whose response was lost.
func (s *APIKeys) change(ctx context.Context, id string, apply func(*storage.APIKey),
	done func(*storage.APIKey) bool) error {
	return s.write(ctx, func(ctx context.Context) ([]itemop.Put, error) {
		k, err := readAPIKey(ctx, s.Store, id)
		switch {
		case err != nil, done(&k):
			return nil, err
		case k.RevokedAt != 0:
			return nil, ErrNoKey
		}
		was := item.FromAPIKey(&k)[tablekeys.AttrWriteKey]
		apply(&k)
		return []itemop.Put{{Item: item.FromAPIKey(&k),
			Precondition: itemop.Precondition{{Op: itemop.AttrEquals, Attr: tablekeys.AttrWriteKey, Value: was}}}}, nil
	})
}

// write repeats a pass until its puts are stored; none are stored at once.
func (s *APIKeys) write(ctx context.Context, pass func(context.Context) ([]itemop.Put, error)) error {
	retrier := retry.Retrier{Rand: s.Rand}
	transient := func(err error) bool { return !errors.Is(err, ErrNoKey) && !errors.Is(err, item.ErrDamaged) }
	return retrier.UntilWritten(ctx, transient, func(ctx context.Context) (storage.WriteResult, error) {
		puts, err := pass(ctx)
		if err != nil || len(puts) == 0 {
			return storage.Written, err
		}
		return s.Store.PutAll(ctx, puts)
	})
}

// List returns all keys, revoked ones included, by id.
func (s *APIKeys) List(ctx context.Context) (all []storage.APIKey, err error) {
	for it, err := range itemop.Items(ctx, s.Store, itemop.ListRequest{Partition: tablekeys.WriteKeys}) {
		if err != nil {
			return nil, wrap(err, "list keys", "")
		}
		k, err := item.APIKey(it)
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

// CheckKinds returns an error for a kind that the catalog does not have.
func CheckKinds(known *catalog.Catalog, kinds []string) error {
	for _, name := range kinds {
		if _, ok := known.Kind(name); !ok {
			all := lists.Map(known.Kinds, func(k catalog.Kind) string { return k.Name })
			return fmt.Errorf("no kind is named %q: want one of %s%s", name, strings.Join(all, ", "),
				names.DidYouMean(name, all))
		}
	}
	return nil
}

// Listed returns all keys as a table for people.
func (s *APIKeys) Listed(ctx context.Context) (string, error) {
	all, err := s.List(ctx)
	if err != nil || len(all) == 0 {
		return "no keys", err
	}
	var text strings.Builder
	rows := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(rows, "ID\tNAME\tALLOWS\tCREATED\tBY\tSTATE")
	for _, k := range all {
		state := "valid"
		if k.RevokedAt != 0 {
			state = "revoked " + k.RevokedAt.String()
		}
		fmt.Fprintf(rows, "\n%s\t%q\t%s\t", k.ID, k.Name, scope(&k))
		fmt.Fprintf(rows, "%s\t%q\t%s", k.CreatedAt, k.CreatedBy, state)
	}
	err = rows.Flush()
	return text.String(), err
}

func wrap(err error, what, which string) error {
	if err != nil {
		err = fmt.Errorf("%s %s: %w", what, which, err)
	}
	return err
}
