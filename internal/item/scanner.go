package item

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrForm says that a value is not an item in DynamoDB's JSON: an object of attribute
// values, each an object with one member that is named by its type and has that form.
var ErrForm = errors.New("not an item in DynamoDB's JSON")

// Scanner reads events as DynamoDB writes them in JSON, in images of table stream
// records and in pages of a Query, from the bytes to the noun in one pass. It comes to
// what Event comes to of the same item; a fuzzer holds them to one another. In two
// points it doubts more: of an item in which a field or an attribute of our own has
// two values, or in which text is no UTF-8, nobody knows what was meant, so it is
// ErrForm.
//
// The zero value is ready. A Scanner is not safe for concurrent use. Texts in what it
// answers are copies and for good; the fields of events are good until Reset.
type Scanner struct {
	texts   Texts
	attrs   []model.Attr // fields of the events read since Reset
	events  known        // how events look,
	others  known        // and what is read for its key
	scratch []byte       // texts of one item that had escapes
	times   model.StoredTimes

	parser   keys.EventParser
	key      keys.Key       // the last one,
	event    model.EventKey // and what it says
	err      error          // or why it says nothing
	keyRead  bool           // said whether the one or the other
	plainKey bool           // it has nothing that JSON escapes

	index struct{ partition, kind, field string } // what the last one names
}

// known is what items read before looked like.
type known struct {
	shapes shapes
	leads  jsonscan.Leads[attribute]
}

// Reset takes back the fields of the events read so far.
func (s *Scanner) Reset() { s.attrs = s.attrs[:0] }

// Event reads the item at b[i:] into e and answers the place after it, or
// jsonscan.Broken. An error wraps keys.ErrForeign or ErrForm; then e means nothing.
func (s *Scanner) Event(b []byte, i int, e *model.Event) (next int, err error) {
	var f found
	if next, err = s.item(b, i, &f, &s.events); err != nil {
		return next, err
	}
	s.setKey(&f)
	if err := s.readKey(); err != nil {
		return next, err
	}
	e.Series, e.Order = s.event.Series, s.event.Order
	e.ExpiresAt = f.expiresAt
	if e.Unreadable = f.damaged || f.met&ofEveryEvent != ofEveryEvent; e.Unreadable {
		e.Attrs, e.Hash, e.ArrivedAt, e.Late, e.IndexBy = nil, model.Hash{}, 0, false, ""
		return next, nil
	}
	e.Attrs, e.Hash, e.ArrivedAt, e.Late, e.IndexBy = s.keep(f.fields), f.hash, f.arrived, f.late, ""
	if f.index != nil {
		s.readIndex(f.index)
		e.IndexBy = indexedBy(e, s.index.kind, s.index.field)
	}
	return next, nil
}

// Key reads the item at b[i:] for its primary key, whatever class it is of. Parts that
// are missing or are no strings are empty. The error is ErrForm.
func (s *Scanner) Key(b []byte, i int) (k keys.Key, next int, err error) {
	var f found
	if next, err = s.item(b, i, &f, &s.others); err != nil {
		return keys.Key{}, next, err
	}
	s.setKey(&f)
	return s.key, next, nil
}

// EventKey is keys.ParseEvent, quick for the key that was read last and for one of
// the same series. Where it is an error, to means nothing.
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

// readKey reads the last key, once.
func (s *Scanner) readKey() error {
	if !s.keyRead {
		s.err, s.keyRead = s.parser.Parse(s.key, &s.event), true
	}
	return s.err
}

// setKey makes the key found the last one, copying what differs.
func (s *Scanner) setKey(f *found) {
	if f.same&(1<<thePK) == 0 && string(f.pk) != s.key.PK {
		s.key.PK = s.texts.Add(f.pk)
		s.changedKey()
	}
	if f.same&(1<<theSK) == 0 && string(f.sk) != s.key.SK {
		s.key.SK = s.texts.Add(f.sk)
		s.changedKey()
	}
}

func (s *Scanner) changedKey() {
	s.keyRead = false
	s.plainKey = len(s.scratch) == 0 // else something of the item was escaped
}

// readIndex reads what a partition of the index names, once.
func (s *Scanner) readIndex(partition []byte) {
	if string(partition) != s.index.partition {
		s.index.partition = s.texts.Add(partition)
		s.index.kind, s.index.field, _, _ = keys.ParseIndexPartition(s.index.partition)
	}
}

// fieldRoom is for how many fields there is always room without a copy.
const fieldRoom = 128

// room is where the fields of the next item go.
func (s *Scanner) room() []model.Attr {
	if n := len(s.attrs); cap(s.attrs)-n < fieldRoom {
		s.attrs = make([]model.Attr, 0, max(2*cap(s.attrs), 8*fieldRoom))
	}
	return s.attrs[len(s.attrs):len(s.attrs):cap(s.attrs)]
}

// keep has the fields stay until Reset.
func (s *Scanner) keep(fields []model.Attr) model.Attrs {
	n := len(fields)
	if n == 0 {
		return nil
	}
	if len(s.attrs)+n <= cap(s.attrs) { // else they outgrew the room and have one of their own
		s.attrs = s.attrs[:len(s.attrs)+n]
	}
	return fields[:n:n]
}
