package storage_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/storage"
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
