package keys

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrKeyForm is wrapped by the errors of functions that parse keys: the key is not one
// that the matching function builds.
var ErrKeyForm = errors.New("not a key of this class")

// ParseEvent is the inverse of Event. The error wraps ErrKeyForm.
func ParseEvent(k Key) (model.EventKey, error) {
	var e model.EventKey
	var p [5]string
	s, err := parse(k, ClassEvent, p[:])
	if err == nil {
		e.Series = s
		e.Series.Kind = p[1]
		e.Series.Stream = p[2]
		e.ID = p[4]
		e.At, err = storedtime.Parse(p[3])
	}
	if err != nil || e.Series.Kind == "" {
		return model.EventKey{}, formError(k, ClassEvent, err)
	}
	return e, nil
}

// ParseLatest is the inverse of Latest. The error wraps ErrKeyForm.
func ParseLatest(k Key) (model.Series, error) {
	var p [3]string
	s, err := parse(k, ClassLatest, p[:])
	s.Kind, s.Stream = p[1], p[2]
	if err != nil || s.Kind == "" {
		return model.Series{}, formError(k, ClassLatest, err)
	}
	return s, nil
}

// ParseMetadata is the inverse of Metadata. The error wraps ErrKeyForm.
func ParseMetadata(k Key) (model.Subject, error) {
	s, err := parsePartition(k.PK)
	if err != nil || k.SK != ClassMetadata || s.Shard != 0 {
		return model.Subject{}, formError(k, ClassMetadata, err)
	}
	return s.Subject, nil
}

// ParseRow is the inverse of Row. The error wraps ErrKeyForm.
func ParseRow(k Key) (rollup.Key, error) {
	var r rollup.Key
	var p [5]string
	s, err := parse(k, ClassRow, p[:])
	if err == nil {
		r.Series = s
		r.Tier = p[1]
		r.Series.Kind = p[2]
		r.Series.Stream = p[3]
		r.Start, err = parseLabel(r.Tier, p[4])
	}
	if err != nil || r.Series.Kind == "" {
		return rollup.Key{}, formError(k, ClassRow, err)
	}
	return r, nil
}

// ParsePartition is the inverse of Partition: it returns a series that has the subject
// and the shard, and no kind. The error wraps ErrKeyForm.
func ParsePartition(pk string) (model.Series, error) {
	s, err := parsePartition(pk)
	if err != nil {
		return s, fmt.Errorf("parse partition key %.80q: %w: %w", pk, ErrKeyForm, err)
	}
	return s, nil
}

func parsePartition(pk string) (s model.Series, err error) {
	var p [3]string
	n, err := keyparts.Split(pk, p[:])
	if err != nil {
		return s, err
	}
	if n < 2 || p[0] == "" || p[1] == "" {
		return s, errors.New("the partition key names no subject")
	}
	s.Subject = model.Subject{Type: p[0], ID: p[1]}
	if n == 3 {
		s.Shard, err = strconv.Atoi(p[2])
		if err != nil || s.Shard < 1 || strconv.Itoa(s.Shard) != p[2] {
			return model.Series{}, errors.New("the partition key's shard is not a number from 1")
		}
	}
	return s, nil
}

// parse splits the sort key of k into parts, and returns the series that the partition
// key names. The sort key must begin with class and have exactly len(parts) parts.
func parse(k Key, class string, parts []string) (model.Series, error) {
	n, err := keyparts.Split(k.SK, parts)
	if err != nil {
		return model.Series{}, err
	}
	if n != len(parts) || parts[0] != class {
		return model.Series{}, errors.New("the sort key has another form")
	}
	return parsePartition(k.PK)
}

func parseLabel(unit, label string) (model.Time, error) {
	u, err := tier.ParseUnit(unit)
	if err != nil {
		return 0, err
	}
	b, err := u.ParseLabel(label)
	return b.Start, err
}

func formError(k Key, class string, cause error) error {
	if cause == nil {
		cause = errors.New("a name in it is empty")
	}
	return fmt.Errorf("parse %s key %.80q / %.120q: %w: %w", class, k.PK, k.SK, ErrKeyForm, cause)
}
