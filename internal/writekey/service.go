package writekey

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

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of keys.
var (
	ErrInvalid = errors.New("not a valid write key: it is unknown, revoked, or was rotated")
	ErrNoKey   = errors.New("there is no valid key with this id: tidemark key list shows them")
)

// Reader reads items of the table. It must be safe for concurrent use.
type Reader interface {
	// GetItem reads an item, strongly consistent; nil if there is none.
	GetItem(context.Context, keys.Key) (item.Item, error)
}

// Store is the part of the table that keys need.
type Store interface {
	Reader
	table.Lister
	PutAll(context.Context, []table.Put) (storage.WriteResult, error)
}

// Check returns the scope of a token, by one read. The error is ErrInvalid, or that of the read.
func Check(ctx context.Context, from Reader, token string, now model.Time) (Scope, error) {
	id, secret, ok := parseToken(token)
	if !ok {
		return Scope{}, ErrInvalid
	}
	k, err := read(ctx, from, id)
	switch {
	case errors.Is(err, ErrNoKey), err == nil && k.RevokedAt != 0:
		return Scope{}, ErrInvalid
	case err != nil:
		return Scope{}, err
	}
	for _, s := range k.Secrets {
		if (s.Until == 0 || now < s.Until) && subtle.ConstantTimeCompare(s.Hash, hashOf(secret)) == 1 {
			return Scope{Key: k.ID, Subjects: k.Subjects, Kinds: k.Kinds}, nil
		}
	}
	return Scope{}, ErrInvalid
}

// IsToken reports whether text has the form of a token.
func IsToken(text string) bool {
	_, _, ok := parseToken(text)
	return ok
}

// read returns a key, which may be revoked, or ErrNoKey.
func read(ctx context.Context, from Reader, id string) (entity.WriteKey, error) {
	it, err := from.GetItem(ctx, tablekeys.WriteKey(id))
	if err != nil {
		return entity.WriteKey{}, err
	}
	if it == nil {
		return entity.WriteKey{}, ErrNoKey
	}
	return item.WriteKey(it)
}

// Service changes keys. It is safe for concurrent use if Rand is.
type Service struct {
	Store Store
	Now   func() model.Time
	Rand  io.Reader // of the pauses between attempts
}

// Create stores a new key with the name, scope and author of draft, and returns its token,
// which is not stored and cannot be read again. The token begins with the id of the key.
func (s *Service) Create(ctx context.Context, draft entity.WriteKey) (token string, err error) {
	k := draft
	k.ID, k.CreatedAt = strings.ToLower(rand.Text()[:idLength]), s.Now()
	token, hash := newToken(k.ID)
	k.Secrets = []entity.WriteSecret{{Hash: hash}}
	// The id is random, so a repeated request stores the same key.
	err = s.write(ctx, func(context.Context) ([]table.Put, error) {
		return []table.Put{{Item: item.FromWriteKey(&k)}}, nil
	})
	return token, wrap(err, "create write key", draft.Name)
}

// Rotate gives a key another secret and returns its token. The former secret is valid for a
// time, in which its sender can be changed.
func (s *Service) Rotate(ctx context.Context, id string, overlap time.Duration) (token string, err error) {
	token, hash := newToken(id)
	err = s.change(ctx, id, func(k *entity.WriteKey) {
		k.Secrets[0].Until = s.Now().Add(overlap)
		k.Secrets = []entity.WriteSecret{{Hash: hash}, k.Secrets[0]}
	}, func(k *entity.WriteKey) bool { return string(k.Secrets[0].Hash) == string(hash) })
	return token, wrap(err, "rotate write key", id)
}

// Revoke ends a key. An authorizer's cache may accept it for another minute.
func (s *Service) Revoke(ctx context.Context, id string) error {
	when := s.Now()
	err := s.change(ctx, id, func(k *entity.WriteKey) { k.RevokedAt = when }, func(k *entity.WriteKey) bool { return k.RevokedAt == when })
	return wrap(err, "revoke write key", id)
}

// change writes a change of a key on condition that no other process has changed it. done
// reports whether a key already has the change, after a write whose response was lost.
func (s *Service) change(ctx context.Context, id string, apply func(*entity.WriteKey), done func(*entity.WriteKey) bool) error {
	return s.write(ctx, func(ctx context.Context) ([]table.Put, error) {
		k, err := read(ctx, s.Store, id)
		switch {
		case err != nil, done(&k):
			return nil, err
		case k.RevokedAt != 0:
			return nil, ErrNoKey
		}
		was := item.FromWriteKey(&k)[tablekeys.AttrWriteKey]
		apply(&k)
		return []table.Put{{Item: item.FromWriteKey(&k), Precondition: table.Precondition{{Op: table.AttrEquals, Attr: tablekeys.AttrWriteKey, Value: was}}}}, nil
	})
}

// write repeats a pass until its puts are stored; none are stored at once.
func (s *Service) write(ctx context.Context, pass func(context.Context) ([]table.Put, error)) error {
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
func (s *Service) List(ctx context.Context) (all []entity.WriteKey, err error) {
	for it, err := range table.Items(ctx, s.Store, table.ListRequest{Partition: tablekeys.WriteKeys}) {
		if err != nil {
			return nil, wrap(err, "list write keys", "")
		}
		k, err := item.WriteKey(it)
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
			return fmt.Errorf("no kind is named %q: tidemark.yaml and its defaults have the names, such as %s", name, known.Kinds[0].Name)
		}
	}
	return nil
}

// Listed returns all keys as a table for people.
func (s *Service) Listed(ctx context.Context) (string, error) {
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
		fmt.Fprintf(rows, "\n%s\t%q\t%s\t%s\t%q\t%s", k.ID, k.Name, Scope{Subjects: k.Subjects, Kinds: k.Kinds}, k.CreatedAt, k.CreatedBy, state)
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
