package keys

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ErrForeign is wrapped by the parsers for a key that their builder never makes.
var ErrForeign = errors.New("not a key of this kind")

// ParseEvent is the way back from Event.
func ParseEvent(k Key) (model.EventKey, error) {
	var e model.EventKey
	var p [5]string
	err := parse(k, ClassEvent, &e.Series, p[:])
	if err == nil {
		e.Series.Kind, e.Series.Stream, e.ID = p[1], p[2], p[4]
		e.At, err = model.ParseStored(p[3])
	}
	if err != nil || e.Series.Kind == "" {
		return model.EventKey{}, foreign(k, ClassEvent, err)
	}
	return e, nil
}

// ParseCurrent is the way back from Current.
func ParseCurrent(k Key) (model.Series, error) {
	var s model.Series
	var p [3]string
	err := parse(k, ClassCurrent, &s, p[:])
	s.Kind, s.Stream = p[1], p[2]
	if err != nil || s.Kind == "" {
		return model.Series{}, foreign(k, ClassCurrent, err)
	}
	return s, nil
}

// ParseMetadata is the way back from Metadata.
func ParseMetadata(k Key) (model.Subject, error) {
	var s model.Series
	err := parsePartition(k.PK, &s)
	if err != nil || k.SK != ClassMetadata || s.Shard != 0 {
		return model.Subject{}, foreign(k, ClassMetadata, err)
	}
	return s.Subject, nil
}

// ParseRow is the way back from Row.
func ParseRow(k Key) (rollup.Key, error) {
	var r rollup.Key
	var p [5]string
	err := parse(k, ClassRow, &r.Series, p[:])
	if err == nil {
		r.Tier, r.Series.Kind, r.Series.Stream = p[1], p[2], p[3]
		r.Start, err = parseLabel(r.Tier, p[4])
	}
	if err != nil || r.Series.Kind == "" {
		return rollup.Key{}, foreign(k, ClassRow, err)
	}
	return r, nil
}

// ParseQuarantine is the way back from Quarantine: the id, and the subject or the
// door by which the thing is kept, whichever it is.
func ParseQuarantine(k Key) (id string, subject model.Subject, door string, err error) {
	var p [3]string
	n, err := split(k.PK, p[:])
	if err == nil {
		id, err = unescape(k.SK)
	}
	if err != nil || n < 2 || p[0] != ClassQuarantine {
		return "", model.Subject{}, "", foreign(k, ClassQuarantine, err)
	}
	if n == 2 {
		return id, model.Subject{}, p[1], nil
	}
	return id, model.Subject{Type: p[1], ID: p[2]}, "", nil
}

// parse reads a key of a series: the partition into s, the sort key, which must be
// of class and have as many parts as parts has room, into parts.
func parse(k Key, class string, s *model.Series, parts []string) error {
	n, err := split(k.SK, parts)
	if err != nil {
		return err
	}
	if n != len(parts) || parts[0] != class {
		return errors.New("the sort key has another form")
	}
	return parsePartition(k.PK, s)
}

func parsePartition(pk string, s *model.Series) error {
	var p [3]string
	n, err := split(pk, p[:])
	if err != nil {
		return err
	}
	if n < 2 || p[0] == "" || p[1] == "" {
		return errors.New("the partition key names no subject")
	}
	s.Subject = model.Subject{Type: p[0], ID: p[1]}
	if n == 3 {
		s.Shard, err = strconv.Atoi(p[2])
		if err != nil || s.Shard < 1 || strconv.Itoa(s.Shard) != p[2] {
			return errors.New("the partition key's shard is not a number from 1")
		}
	}
	return nil
}

func parseLabel(unit, label string) (model.Time, error) {
	u, err := tier.ParseUnit(unit)
	if err != nil {
		return 0, err
	}
	b, err := u.ParseLabel(label)
	return b.Start, err
}

// split unescapes the parts of text into parts and answers how many there were.
func split(text string, parts []string) (n int, err error) {
	for more := true; more; n++ {
		if n == len(parts) {
			return n, errors.New("the key has too many parts")
		}
		var part string
		part, text, more = strings.Cut(text, string(separator))
		if parts[n], err = unescape(part); err != nil {
			return n, err
		}
	}
	return n, nil
}

func foreign(k Key, class string, cause error) error {
	if cause == nil {
		cause = errors.New("a name in it is empty")
	}
	return fmt.Errorf("parse %s key %.80q / %.120q: %w: %w", class, k.PK, k.SK, ErrForeign, cause)
}
