package tablestream

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// streamRecord is the state of reading one record. Its members may be in any order, so finish combines them.
type streamRecord struct {
	*Decoder
	change *storage.Change
	seen   members
	name   string // eventName
	key    keys.Key
	keyErr error
	// service and dynamodb report whether the user identity is TTL's.
	service, dynamodb bool
	err               error // the first error
}

func (r *streamRecord) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// readObject reads the object at b[i:] with the members of object.
func (r *streamRecord) readObject(b []byte, i int, what string, object *memberObject) (end int) {
	if !jsonscan.Is(b, i, '{') {
		r.fail("%s is not an object", what)
		return jsonscan.Skip(b, i)
	}
	i++
	for first := true; ; first = false {
		at, more := i+1, !first && jsonscan.NextMember(b, i)
		if !more {
			at, more = jsonscan.Sibling(b, i, first, '}')
		}
		if !more {
			return at
		}
		if i = r.readCached(object, b, at); i == jsonscan.Invalid {
			i = r.readMember(object, b, at)
		}
		if i == jsonscan.Invalid {
			return i
		}
	}
}

// readCached reads the member at b[i:] from the cache, or returns Invalid if the cache does not have it.
func (r *streamRecord) readCached(object *memberObject, b []byte, i int) (end int) {
	cached, at := object.cache.Find(b, i)
	if cached == nil || r.seen.has(cached.member) {
		return jsonscan.Invalid
	}
	switch {
	case !cached.complete:
		return r.readValue(cached.member, b, jsonscan.Space(b, at)) // the cached text may have had no space
	case cached.member == memberName:
		r.name = cached.text
	case cached.member == memberSource:
		r.change.Source = cached.text
	}
	r.seen |= 1 << cached.member
	return at
}

// readMember reads any member and adds it to the cache.
func (r *streamRecord) readMember(object *memberObject, b []byte, i int) (end int) {
	raw, at := jsonscan.Name(b, i)
	if at == jsonscan.Invalid {
		return at
	}
	cached := cachedMember{member: object.names[string(scanName(raw))]}
	if cached.member == memberUnknown {
		return jsonscan.Skip(b, at)
	}
	end = r.readValue(cached.member, b, at)
	if end == jsonscan.Invalid || r.err != nil {
		return end
	}
	switch cached.member {
	case memberName:
		cached.complete, cached.text = true, r.name
	case memberSource:
		cached.complete, cached.text = true, r.change.Source
	case memberSkippedConstant:
		cached.complete = jsonscan.Is(b, at, '"')
	}
	if cached.complete {
		at = end
	}
	object.cache.Learn(b, i, at, cached)
	return end
}

// readValue reads the value of a member.
func (r *streamRecord) readValue(m member, b []byte, i int) (end int) {
	if r.seen.has(m) {
		r.fail("%s is repeated", m)
		return jsonscan.Skip(b, i)
	}
	r.seen |= 1 << m
	if jsonscan.Null(b, i) && m != memberKeys {
		return jsonscan.Skip(b, i)
	}
	switch m {
	case memberID:
		return r.copyText(b, i, m, &r.change.EventID)
	case memberSeq:
		return r.copyText(b, i, m, &r.change.Seq)
	case memberName:
		return r.copyText(b, i, m, &r.name)
	case memberSource:
		return r.copyText(b, i, m, &r.change.Source)
	case memberType:
		return r.matches(b, i, m, "Service", &r.service)
	case memberPrincipal:
		return r.matches(b, i, m, "dynamodb.amazonaws.com", &r.dynamodb)
	case memberBody:
		return r.readObject(b, i, "dynamodb", &r.objects.body)
	case memberIdentity:
		return r.readObject(b, i, "userIdentity", &r.objects.identity)
	case memberTime:
		return r.readTime(b, i)
	case memberKeys:
		r.key, end, r.keyErr = r.scanner.Key(b, i)
		return end
	case memberNewImage:
		return r.readImage(b, i, &r.change.After)
	case memberOldImage:
		return r.readImage(b, i, &r.change.Before)
	}
	return jsonscan.Skip(b, i)
}

func (r *streamRecord) copyText(b []byte, i int, m member, to *string) (end int) {
	text, end := r.readText(b, i, m)
	*to = r.texts.Add(text)
	return end
}

func (r *streamRecord) matches(b []byte, i int, m member, want string, to *bool) (end int) {
	text, end := r.readText(b, i, m)
	*to = string(text) == want
	return end
}

// readText reads a string; nil if it is invalid.
func (r *streamRecord) readText(b []byte, i int, m member) (text []byte, end int) {
	raw, end := jsonscan.Text(b, i)
	switch {
	case raw.Bytes == nil:
		r.fail("%s is not a string", m)
		return nil, jsonscan.Skip(b, i)
	case raw.Plain:
		return raw.Bytes, end
	}
	text, ok := jsonscan.Unescape(nil, raw.Bytes)
	if !ok {
		r.fail("%s is not UTF-8", m)
		return nil, end
	}
	return text, end
}

// readTime reads the time of the record.
func (r *streamRecord) readTime(b []byte, i int) (end int) {
	at, end, err := epoch(b, i)
	if err != nil {
		r.fail("%s: %w", memberTime, err)
		return jsonscan.Skip(b, i)
	}
	r.change.At = at
	return end
}

// epoch reads epoch seconds, with or without a fraction. A number outside the range of model.Time is 0.
func epoch(b []byte, i int) (at model.Time, end int, err error) {
	if n, end := jsonscan.Digits(b, i); end < len(b) && end != jsonscan.Invalid &&
		n <= int64(model.MaxTime)/1000 &&
		b[end] != '.' && b[end]|' ' != 'e' {
		return model.Time(n * 1000), end, nil
	}
	end = jsonscan.Number(b, i)
	if end == jsonscan.Invalid {
		return 0, i, errors.New("it is not a number")
	}
	seconds, err := strconv.ParseFloat(string(b[i:end]), 64)
	if ms := math.Round(seconds * 1000); err == nil && ms >= 0 && ms <= float64(model.MaxTime) {
		at = model.Time(ms)
	}
	return at, end, err
}

// readImage reads an image; to stays nil if the image cannot be read.
func (r *streamRecord) readImage(b []byte, i int, to **model.Event) (end int) {
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

// finish completes the change. It returns false without an error if the item is not an event.
func (r *streamRecord) finish() (is bool, err error) {
	if r.err != nil {
		return false, r.err
	}
	isEvent := strings.HasPrefix(r.key.SK, tablekeys.EventPrefix)
	if isEvent {
		err = r.scanner.EventKey(r.key, &r.change.Key)
	}
	if !isEvent || err != nil {
		return false, cmp.Or(r.keyError(), err)
	}
	r.change.Type, err = r.changeType()
	return err == nil, err
}

// keyError says why the item's key cannot be read, nil if it can.
func (r *streamRecord) keyError() error {
	err := r.keyErr
	if !r.seen.has(memberKeys) {
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

func (r *streamRecord) changeType() (storage.ChangeType, error) {
	switch r.name {
	case "INSERT":
		return storage.Inserted, nil
	case "MODIFY":
		return storage.Corrected, nil
	case "REMOVE":
		if r.expired() {
			return storage.Expired, nil
		}
		return storage.Deleted, nil
	}
	return 0, fmt.Errorf("unknown eventName %q: want INSERT, MODIFY or REMOVE", r.name)
}

// byTTL reports whether the record names TTL as the user that removed the item.
func (r *streamRecord) byTTL() bool { return r.service && r.dynamodb }

// expired reports whether TTL removed the event. Only the Region where TTL removed it has
// TTL's identity; a replica and an emulator have none. The event's own expiry decides then.
func (r *streamRecord) expired() bool {
	if r.byTTL() {
		return true
	}
	old := r.change.Before
	return old != nil && old.ExpiresAt != 0 && old.ExpiresAt <= r.change.At.Add(tier.ExpiryMargin).Seconds()
}
