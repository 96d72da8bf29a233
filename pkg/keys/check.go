package keys

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// DynamoDB's limits for the two parts of a primary key.
const (
	maxPartitionBytes = 2048
	MaxSortBytes      = 1024
)

// Errors of Key.Check.
var (
	ErrKeyEmpty = errors.New("key is empty: the table needs both parts of a primary key")
	ErrKeyText  = errors.New("key is not valid UTF-8: the table stores keys as strings; send ids, streams and names as UTF-8 text")
	ErrKeyLong  = errors.New("key is too long")
)

// Check reports whether the table can store k: both parts are present and valid UTF-8,
// the partition key has at most 2,048 bytes and the sort key at most 1,024, counted after
// escaping. The error wraps ErrKeyEmpty, ErrKeyText or ErrKeyLong.
func (k Key) Check() error {
	if err := checkPart("partition", k.PK, maxPartitionBytes, "shorten the subject id"); err != nil {
		return err
	}
	return checkPart("sort", k.SK, MaxSortBytes, "shorten the event id or the stream")
}

func checkPart(name, part string, limit int, remedy string) error {
	switch {
	case part == "":
		return fmt.Errorf("%s %w", name, ErrKeyEmpty)
	case !utf8.ValidString(part):
		return fmt.Errorf("%s %w", name, ErrKeyText)
	case len(part) > limit:
		return fmt.Errorf("%s %w: %d bytes, the table stores at most %d; %s (space, !, \", #, $, %% and control characters take three bytes each)",
			name, ErrKeyLong, len(part), limit, remedy)
	}
	return nil
}
