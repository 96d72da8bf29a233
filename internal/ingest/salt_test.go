package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// saltStore answers as told before it asks the table: lost answers are stored ones.
type saltStore struct {
	*memory.Table
	asked int
	first []model.Answer
}

func (s *saltStore) PutSalt(ctx context.Context, salt model.Salt) (model.Answer, model.Salt, error) {
	s.asked++
	if s.asked <= len(s.first) {
		if answer := s.first[s.asked-1]; answer == model.Throttled {
			return answer, model.Salt{}, nil
		}
		if _, _, err := s.Table.PutSalt(ctx, salt); err != nil {
			return model.Uncertain, model.Salt{}, err
		}
		return model.Uncertain, model.Salt{}, nil
	}
	return s.Table.PutSalt(ctx, salt)
}

func saltOf(t *testing.T, s *ingest.Salts, at model.Time) []byte {
	t.Helper()
	salt, err := s.Of(t.Context(), at)
	if err != nil || len(salt) != 32 {
		t.Fatalf("salt of %s: %d bytes, %v; want 32", at, len(salt), err)
	}
	return salt
}

func TestSalts_AreTheSameAtEveryDoorForADay(t *testing.T) {
	table := &saltStore{Table: memory.New(clock)}
	here := &ingest.Salts{Service: serviceOn(table, 1), Store: table}
	there := &ingest.Salts{Service: serviceOn(table, 2), Store: table}
	morning, evening := minute(-300), minute(600)
	first := saltOf(t, here, morning)
	if !bytes.Equal(first, saltOf(t, there, evening)) || !bytes.Equal(first, saltOf(t, here, evening)) {
		t.Error("two doors, or two hours, have different salts of one day")
	}
	if table.asked != 2 {
		t.Errorf("two doors asked %d times, want once each", table.asked)
	}
	if bytes.Equal(first, saltOf(t, here, minute(24*60))) {
		t.Error("the next day has the same salt")
	}
}

func TestSalts_ALostAnswerKeepsTheSaltThatWasStored(t *testing.T) {
	for name, first := range map[string][]model.Answer{
		"throttled":              {model.Throttled, model.Throttled},
		"stored, answer lost":    {model.Uncertain},
		"both, one on the other": {model.Uncertain, model.Throttled, model.Uncertain},
	} {
		table := &saltStore{Table: memory.New(clock), first: first}
		given := saltOf(t, &ingest.Salts{Service: serviceOn(table, 1), Store: table}, minute(0))
		stored, err := table.GetItem(t.Context(), keys.Salt(minute(0)))
		if err != nil || !bytes.Equal(stored[keys.AttrSalt].B, given) {
			t.Errorf("%s: handed out another salt than the table holds", name)
		}
	}
}

func TestSalts_ExpireAfterTheirDay(t *testing.T) {
	table := memory.New(clock)
	saltOf(t, &ingest.Salts{Service: serviceOn(table, 1), Store: table}, minute(0))
	it, err := table.GetItem(t.Context(), keys.Salt(minute(0)))
	if err != nil {
		t.Fatal(err)
	}
	end := model.TimeOf(minute(0).Time().Truncate(24 * time.Hour).Add(25 * time.Hour))
	if want := model.NumberValue(model.DecimalOf(end.Seconds())).Number.String(); it[keys.AttrExpiresAt].S != want {
		t.Errorf("it expires at %s, want %s: an hour after its day", it[keys.AttrExpiresAt].S, want)
	}
}

func TestSalts_AreNotMadeUpWhereTheTableDoesNotAnswer(t *testing.T) {
	table := &saltStore{Table: memory.New(clock), first: make([]model.Answer, 100)}
	for i := range table.first {
		table.first[i] = model.Throttled
	}
	salts := &ingest.Salts{Service: serviceOn(table, 1), Store: table}
	if salt, err := salts.Of(t.Context(), minute(0)); err == nil {
		t.Errorf("got %x, want an error", salt)
	}
	if _, err := salts.Of(cancelled(t), minute(0)); err == nil || errors.Is(err, nil) {
		t.Error("a cancelled request got a salt")
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
