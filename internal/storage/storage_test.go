package storage_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/storage"
)

func TestStrings_NameEachValueAndNeverPanic(t *testing.T) {
	for got, want := range map[string]string{
		storage.Inserted.String():        "inserted",
		storage.Expired.String():         "expired",
		storage.ChangeType(9).String():   "ChangeType(9)",
		storage.Unknown.String():         "unknown",
		storage.WriteResult(-1).String(): "WriteResult(-1)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWriteResult_IsReadAsItIsWritten(t *testing.T) {
	for want := storage.Written; want <= storage.Unknown; want++ {
		var got storage.WriteResult
		if err := got.UnmarshalText([]byte(want.String())); err != nil || got != want {
			t.Errorf("%s: got %s, %v", want, got, err)
		}
	}
	if err := new(storage.WriteResult).UnmarshalText([]byte("lost")); err == nil {
		t.Error("a word that is no result was read")
	}
}
