package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// secretStore returns the results in first before it calls the table. A write with
// an unknown result is stored all the same.
type secretStore struct {
	*memory.Table
	calls int
	first []storage.WriteResult
}

func (s *secretStore) PutRotatingSecret(ctx context.Context,
	secret storage.RotatingSecret) (storage.WriteResult, storage.RotatingSecret, error) {
	s.calls++
	if s.calls <= len(s.first) {
		if result := s.first[s.calls-1]; result == storage.Throttled {
			return result, storage.RotatingSecret{}, nil
		}
		if _, _, err := s.Table.PutRotatingSecret(ctx, secret); err != nil {
			return storage.Unknown, storage.RotatingSecret{}, err
		}
		return storage.Unknown, storage.RotatingSecret{}, nil
	}
	return s.Table.PutRotatingSecret(ctx, secret)
}

func secretAt(t *testing.T, s *ingest.RotatingSecrets, at model.Time) []byte {
	t.Helper()
	secret, err := s.At(t.Context(), at)
	if err != nil || len(secret) != 32 {
		t.Fatalf("secret of %s: %d bytes, %v; want 32", at, len(secret), err)
	}
	return secret
}

func TestRotatingSecrets_AreTheSameInEveryProcessForADay(t *testing.T) {
	table := &secretStore{Table: memory.New(clock)}
	here := &ingest.RotatingSecrets{Service: serviceOn(table, 1), Store: table}
	there := &ingest.RotatingSecrets{Service: serviceOn(table, 2), Store: table}
	morning, evening := minute(-300), minute(600)
	first := secretAt(t, here, morning)
	if !bytes.Equal(first, secretAt(t, there, evening)) || !bytes.Equal(first, secretAt(t, here, evening)) {
		t.Error("two processes, or two hours, have different secrets for one day")
	}
	if table.calls != 2 {
		t.Errorf("two processes made %d requests, want one each", table.calls)
	}
	if bytes.Equal(first, secretAt(t, here, minute(24*60))) {
		t.Error("the next day has the same secret")
	}
	if !bytes.Equal(first, secretAt(t, here, evening)) || table.calls != 3 {
		t.Error("a process forgets the secret of the day before")
	}
}

func TestRotatingSecrets_ALostResponseKeepsTheStoredSecret(t *testing.T) {
	for name, first := range map[string][]storage.WriteResult{
		"throttled":                 {storage.Throttled, storage.Throttled},
		"stored, response lost":     {storage.Unknown},
		"both, one after the other": {storage.Unknown, storage.Throttled, storage.Unknown},
	} {
		table := &secretStore{Table: memory.New(clock), first: first}
		returned := secretAt(t, &ingest.RotatingSecrets{Service: serviceOn(table, 1), Store: table}, minute(0))
		stored, err := table.GetItem(t.Context(), tablekeys.RotatingSecret(minute(0)))
		if err != nil || !bytes.Equal(stored[tablekeys.AttrSecret].B, returned) {
			t.Errorf("%s: returned another secret than the table holds", name)
		}
	}
}

func TestRotatingSecrets_ExpireThreeHoursAfterTheirDay(t *testing.T) {
	table := memory.New(clock)
	secretAt(t, &ingest.RotatingSecrets{Service: serviceOn(table, 1), Store: table}, minute(0))
	it, err := table.GetItem(t.Context(), tablekeys.RotatingSecret(minute(0)))
	if err != nil {
		t.Fatal(err)
	}
	end := model.NewTime(minute(0).Time().Truncate(24 * time.Hour).Add(27 * time.Hour))
	if want := model.NumberValue(
		model.NewDecimal(end.Seconds())).Number.String(); it[keys.AttrExpiresAt].S != want {
		t.Errorf("it expires at %s, want %s: three hours after its day", it[keys.AttrExpiresAt].S, want)
	}
}

func TestRotatingSecrets_AreNotInventedWhenTheTableFails(t *testing.T) {
	table := &secretStore{Table: memory.New(clock), first: make([]storage.WriteResult, 100)}
	for i := range table.first {
		table.first[i] = storage.Throttled
	}
	secrets := &ingest.RotatingSecrets{Service: serviceOn(table, 1), Store: table}
	if secret, err := secrets.At(t.Context(), minute(0)); err == nil {
		t.Errorf("got %x, want an error", secret)
	}
	if _, err := secrets.At(cancelled(t), minute(0)); err == nil || errors.Is(err, nil) {
		t.Error("a cancelled request got a secret")
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
