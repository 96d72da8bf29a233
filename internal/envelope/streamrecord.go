package envelope

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// streamRecord is one record while it is read. Its members come in any order, so what
// they say together is asked at the end.
type streamRecord struct {
	*StreamDecoder
	change *model.Change
	met    members
	name   string // eventName
	key    keys.Key
	keyErr error
	// service and dynamodb say who made the change, as far as it matters.
	service, dynamodb bool
	err               error // the first thing that was wrong
}

func (r *streamRecord) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// object reads the object at b[i:], whose members are those of level.
func (r *streamRecord) object(b []byte, i int, what string, level *memberLevel) (end int) {
	if !jsonscan.Is(b, i, '{') {
		r.fail("%s is no object", what)
		return jsonscan.Skip(b, i)
	}
	i++
	for first := true; ; first = false {
		at, more := i+1, !first && jsonscan.Follows(b, i)
		if !more {
			at, more = jsonscan.Sibling(b, i, first, '}')
		}
		if !more {
			return at
		}
		if i = r.known(level, b, at); i == jsonscan.Broken {
			i = r.member(level, b, at)
		}
		if i == jsonscan.Broken {
			return i
		}
	}
}

// known reads the member at b[i:] by its lead, Broken where that is not known.
func (r *streamRecord) known(level *memberLevel, b []byte, i int) (end int) {
	lead, at := level.leads.Find(b, i)
	if lead == nil || r.met.has(lead.member) {
		return jsonscan.Broken
	}
	switch {
	case !lead.whole:
		return r.value(lead.member, b, jsonscan.Space(b, at)) // the lead was met without, perhaps
	case lead.member == theName:
		r.name = lead.text
	case lead.member == theSource:
		r.change.Source = lead.text
	}
	r.met |= 1 << lead.member
	return at
}

// member reads any member, and learns its lead.
func (r *streamRecord) member(level *memberLevel, b []byte, i int) (end int) {
	raw, at := jsonscan.Name(b, i)
	if at == jsonscan.Broken {
		return at
	}
	lead := recordLead{member: level.names[string(nameOf(raw))]}
	if lead.member == aStranger {
		return jsonscan.Skip(b, at)
	}
	end = r.value(lead.member, b, at)
	if end == jsonscan.Broken || r.err != nil {
		return end
	}
	switch lead.member {
	case theName:
		lead.whole, lead.text = true, r.name
	case theSource:
		lead.whole, lead.text = true, r.change.Source
	case aConstant:
		lead.whole = jsonscan.Is(b, at, '"')
	}
	if lead.whole {
		at = end
	}
	level.leads.Learn(b, i, at, lead)
	return end
}

// value reads the value of a member.
func (r *streamRecord) value(m member, b []byte, i int) (end int) {
	if r.met.has(m) {
		r.fail("%s comes twice", m)
		return jsonscan.Skip(b, i)
	}
	r.met |= 1 << m
	if jsonscan.Null(b, i) && m != theKeys {
		return jsonscan.Skip(b, i)
	}
	switch m {
	case theID:
		return r.copied(b, i, m, &r.change.EventID)
	case theSeq:
		return r.copied(b, i, m, &r.change.Seq)
	case theName:
		return r.copied(b, i, m, &r.name)
	case theSource:
		return r.copied(b, i, m, &r.change.Source)
	case theType:
		return r.equals(b, i, m, "Service", &r.service)
	case thePrincipal:
		return r.equals(b, i, m, "dynamodb.amazonaws.com", &r.dynamodb)
	case theBody:
		return r.object(b, i, "dynamodb", &r.levels.body)
	case theIdentity:
		return r.object(b, i, "userIdentity", &r.levels.identity)
	case theTime:
		return r.time(b, i)
	case theKeys:
		r.key, end, r.keyErr = r.scanner.Key(b, i)
		return end
	case theNew:
		return r.image(b, i, &r.change.After)
	case theOld:
		return r.image(b, i, &r.change.Before)
	}
	return jsonscan.Skip(b, i)
}

func (r *streamRecord) copied(b []byte, i int, m member, to *string) (end int) {
	text, end := r.text(b, i, m)
	*to = r.texts.Add(text)
	return end
}

func (r *streamRecord) equals(b []byte, i int, m member, want string, to *bool) (end int) {
	text, end := r.text(b, i, m)
	*to = string(text) == want
	return end
}

// text reads a string, "" where it is wrong.
func (r *streamRecord) text(b []byte, i int, m member) (text []byte, end int) {
	raw, end := jsonscan.Text(b, i)
	switch {
	case raw.Bytes == nil:
		r.fail("%s is no string", m)
		return nil, jsonscan.Skip(b, i)
	case raw.Plain:
		return raw.Bytes, end
	}
	text, ok := jsonscan.Unescape(nil, raw.Bytes)
	if !ok {
		r.fail("%s is no UTF-8", m)
		return nil, end
	}
	return text, end
}

// time reads the record's time.
func (r *streamRecord) time(b []byte, i int) (end int) {
	at, end, err := epoch(b, i)
	if err != nil {
		r.fail("%s: %w", theTime, err)
		return jsonscan.Skip(b, i)
	}
	r.change.At = at
	return end
}

// epoch reads epoch seconds, as Lambda sends them, whole or not; what is no time of
// ours is 0.
func epoch(b []byte, i int) (at model.Time, end int, err error) {
	if n, end := jsonscan.Digits(b, i); end < len(b) && end != jsonscan.Broken && n <= int64(model.MaxTime)/1000 &&
		b[end] != '.' && b[end]|' ' != 'e' {
		return model.Time(n * 1000), end, nil
	}
	end = jsonscan.Number(b, i)
	if end == jsonscan.Broken {
		return 0, i, errors.New("it is no number")
	}
	seconds, err := strconv.ParseFloat(string(b[i:end]), 64)
	if ms := math.Round(seconds * 1000); err == nil && ms >= 0 && ms <= float64(model.MaxTime) {
		at = model.Time(ms)
	}
	return at, end, err
}

// image reads an image into a place of its own; one that cannot be read stays nil.
func (r *streamRecord) image(b []byte, i int, to **model.Event) (end int) {
	r.images = append(r.images, model.Event{})
	e := &r.images[len(r.images)-1]
	end, err := r.scanner.Event(b, i, e)
	if err != nil {
		r.images = r.images[:len(r.images)-1]
		return end
	}
	*to = e
	return end
}

// settle completes the change from all that was read. It is false without an error
// where the item is no event.
func (r *streamRecord) settle() (is bool, err error) {
	if r.err != nil {
		return false, r.err
	}
	isEvent := strings.HasPrefix(r.key.SK, keys.EventPrefix)
	if isEvent {
		err = r.scanner.EventKey(r.key, &r.change.Key)
	}
	if !isEvent || err != nil {
		return false, cmp.Or(r.noKey(), err)
	}
	r.change.What, err = r.what()
	return err == nil, err
}

// noKey says why not even the item's key is known, nil where it is.
func (r *streamRecord) noKey() error {
	err := r.keyErr
	if !r.met.has(theKeys) {
		err = errors.New("it is missing")
	}
	if err == nil {
		err = r.key.Check()
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("the item's key cannot be read: %w", err)
}

func (r *streamRecord) what() (model.What, error) {
	switch r.name {
	case "INSERT":
		return model.Inserted, nil
	case "MODIFY":
		return model.Corrected, nil
	case "REMOVE":
		if r.expired() {
			return model.Expired, nil
		}
		return model.Deleted, nil
	}
	return 0, fmt.Errorf("unknown eventName %q: want INSERT, MODIFY or REMOVE", r.name)
}

// expired tells a removal by TTL from one by somebody. TTL says who it is only in the
// Region where it removed the item; a replica, and an emulator, show a removal without
// identity. So the event's own expiry is asked too.
func (r *streamRecord) expired() bool {
	if r.service && r.dynamodb {
		return true
	}
	old := r.change.Before
	return old != nil && old.ExpiresAt != 0 && old.ExpiresAt <= r.change.At.Add(tier.ExpiryMargin).Seconds()
}
