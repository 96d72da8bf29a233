package item

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrForm reports that a value is not an item in DynamoDB's JSON: an object of attribute values,
// each of them an object with one member, whose name is the type of the value.
var ErrForm = errors.New("not an item in DynamoDB's JSON")

// Scanner decodes events from DynamoDB's JSON, in the images of table stream records and in
// the pages of a Query, in one pass over the bytes. It returns the same result as Event for the
// same item; a fuzz test compares the two. It is stricter in two cases: an item with a duplicate
// attribute or with invalid UTF-8 is ambiguous, and is ErrForm.
//
// The zero value is ready to use. A Scanner is not safe for concurrent use. Strings in its
// results are copies; the Attrs of events are valid until Reset.
type Scanner struct {
	texts   Texts
	attrs   []model.Attr // fields of the events scanned since Reset
	events  itemCache    // for items scanned by Event
	others  itemCache    // for items scanned by Key
	scratch []byte       // texts of the present item that had escapes
	times   storedtime.Parser

	parser   keys.EventParser
	key      keys.Key       // the last key
	event    model.EventKey // the result of parsing it
	err      error          // the error of parsing it
	keyRead  bool           // it has been parsed
	plainKey bool           // it has no characters that JSON escapes

	index struct{ partition, kind, field string } // of the last index partition
}

// itemCache caches the shapes and members of items scanned before.
type itemCache struct {
	shapes  shapeCache
	members jsonscan.MemberCache[attribute]
}

// Reset allows the memory of Attrs to be reused. The Attrs of all events scanned so far become invalid.
func (s *Scanner) Reset() { s.attrs = s.attrs[:0] }

// Event scans the item at b[i:] into e. next is the index after it, or jsonscan.Invalid. An error
// wraps keys.ErrKeyForm or ErrForm; e is then undefined.
func (s *Scanner) Event(b []byte, i int, e *model.Event) (next int, err error) {
	var f rawItem
	if next, err = s.item(b, i, &f, &s.events); err != nil {
		return next, err
	}
	s.setKey(&f)
	if err := s.readKey(); err != nil {
		return next, err
	}
	e.Series, e.Order = s.event.Series, s.event.Order
	e.ExpiresAt = f.expiresAt
	if e.Unreadable = f.damaged || f.roles&eventRoles != eventRoles; e.Unreadable {
		e.Attrs = nil
		e.Hash = model.Hash{}
		e.ArrivedAt = 0
		e.Late = false
		e.IndexBy = ""
		e.CorrectedAt = 0
		return next, nil
	}
	e.Attrs = s.keep(f.fields)
	e.Hash = f.hash
	e.ArrivedAt = f.arrived
	e.Late = f.late
	e.IndexBy = ""
	e.CorrectedAt = f.corrected
	if f.index != nil {
		s.readIndex(f.index)
		e.IndexBy = indexedBy(e, s.index.kind, s.index.field)
	}
	return next, nil
}

// Key scans the item at b[i:] and returns its primary key, for items of any class. A part is
// empty if it is missing or not a string. The error is ErrForm.
func (s *Scanner) Key(b []byte, i int) (k keys.Key, next int, err error) {
	var f rawItem
	if next, err = s.item(b, i, &f, &s.others); err != nil {
		return keys.Key{}, next, err
	}
	s.setKey(&f)
	return s.key, next, nil
}

// EventKey is keys.ParseEvent. It is faster for the key that was scanned last and for keys of
// the same series. After an error to is undefined.
func (s *Scanner) EventKey(k keys.Key, to *model.EventKey) error {
	if k != s.key {
		s.key = k
		s.changedKey()
		s.plainKey = false
	}
	if err := s.readKey(); err != nil {
		return err
	}
	*to = s.event
	return nil
}

// readKey parses the last key, once.
func (s *Scanner) readKey() error {
	if !s.keyRead {
		s.err, s.keyRead = s.parser.Parse(s.key, &s.event), true
	}
	return s.err
}

// setKey makes the key of f the last key. It copies the parts that differ.
func (s *Scanner) setKey(f *rawItem) {
	if f.sameAsLast&(1<<rolePK) == 0 && string(f.pk) != s.key.PK {
		s.key.PK = s.texts.Add(f.pk)
		s.changedKey()
	}
	if f.sameAsLast&(1<<roleSK) == 0 && string(f.sk) != s.key.SK {
		s.key.SK = s.texts.Add(f.sk)
		s.changedKey()
	}
}

func (s *Scanner) changedKey() {
	s.keyRead = false
	s.plainKey = len(s.scratch) == 0 // else a text of the item was escaped
}

// readIndex parses an index partition, unless it is the last one.
func (s *Scanner) readIndex(partition []byte) {
	if string(partition) != s.index.partition {
		s.index.partition = s.texts.Add(partition)
		s.index.kind, s.index.field, _, _ = tablekeys.ParseIndexPartition(s.index.partition)
	}
}

// minFieldBuffer is the number of fields for which the buffer always has space.
const minFieldBuffer = 128

// fieldBuffer returns the buffer for the fields of the next item.
func (s *Scanner) fieldBuffer() []model.Attr {
	if n := len(s.attrs); cap(s.attrs)-n < minFieldBuffer {
		s.attrs = make([]model.Attr, 0, max(2*cap(s.attrs), 8*minFieldBuffer))
	}
	return s.attrs[len(s.attrs):len(s.attrs):cap(s.attrs)]
}

// keep reserves the memory of fields until Reset.
func (s *Scanner) keep(fields []model.Attr) model.Attrs {
	n := len(fields)
	if n == 0 {
		return nil
	}
	if len(s.attrs)+n <= cap(s.attrs) { // else they outgrew the buffer and have their own memory
		s.attrs = s.attrs[:len(s.attrs)+n]
	}
	return fields[:n:n]
}
