package query

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of cursors.
var (
	ErrCursor        = errors.New("the cursor was not made here, or its key has changed: start again without a cursor")
	ErrForeignCursor = errors.New("the cursor belongs to another request: repeat the series, range, tier and direction it was made with")
	ErrNoCursorKey   = errors.New("no cursor key is set: pages cannot be continued")
)

// A cursor is base64url of version, binding, position and signature. The position of a
// reading is the order that was handed out last: 8 bytes of time, big endian, then the id.
// All of it is signed, none of it is secret.
const (
	cursorVersion = 1
	bindingSize   = 16
	timeSize      = 8
	signatureSize = 16

	leastCursor = 1 + bindingSize + signatureSize
)

// cursors makes and opens the cursors of one request.
type cursors struct {
	keys    [][]byte          // the first signs, each opens
	binding [bindingSize]byte // a hash of the request: its cursors open for no other
}

// cursorsOf binds cursors to a request. class tells events from the rows of a tier;
// limit and consistency are not bound and may change from page to page.
func cursorsOf(keys [][]byte, class string, s Series, from, to model.Time, newest bool) cursors {
	return cursorsFor(keys, class, s.Kind.Subject.Name, s.Subject, s.Kind.Name, s.Stream,
		from.String(), to.String(), strconv.FormatBool(newest), strconv.Itoa(len(s.shards())))
}

// cursorsFor binds cursors to the parts of a request.
func cursorsFor(keys [][]byte, parts ...string) cursors {
	c := cursors{keys: keys}
	h := sha256.New()
	for _, part := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	copy(c.binding[:], h.Sum(nil))
	return c
}

// seal makes the cursor of a position.
func (c cursors) seal(past model.Order) (string, error) {
	position := binary.BigEndian.AppendUint64(nil, uint64(past.At))
	return c.sealBytes(append(position, past.ID...))
}

func (c cursors) sealBytes(position []byte) (string, error) {
	if len(c.keys) == 0 {
		return "", ErrNoCursorKey
	}
	signed := append([]byte{cursorVersion}, c.binding[:]...)
	signed = append(signed, position...)
	return base64.RawURLEncoding.EncodeToString(append(signed, sign(c.keys[0], signed)...)), nil
}

// open is the way back: the position of a cursor, nil where there is none.
func (c cursors) open(cursor string) (*model.Order, error) {
	position, err := c.openBytes(cursor)
	if err != nil || position == nil {
		return nil, err
	}
	if len(position) < timeSize {
		return nil, ErrCursor
	}
	at := model.Time(binary.BigEndian.Uint64(position))
	return &model.Order{At: at, ID: string(position[timeSize:])}, nil
}

func (c cursors) openBytes(cursor string) ([]byte, error) {
	if cursor == "" {
		return nil, nil
	}
	if len(c.keys) == 0 {
		return nil, ErrNoCursorKey
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) < leastCursor || raw[0] != cursorVersion {
		return nil, ErrCursor
	}
	signed, signature := raw[:len(raw)-signatureSize], raw[len(raw)-signatureSize:]
	if !slices.ContainsFunc(c.keys, func(key []byte) bool { return hmac.Equal(signature, sign(key, signed)) }) {
		return nil, ErrCursor
	}
	if [bindingSize]byte(signed[1:]) != c.binding {
		return nil, ErrForeignCursor
	}
	return signed[1+bindingSize:], nil
}

func sign(key, signed []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(signed)
	return mac.Sum(nil)[:signatureSize]
}

// Seal makes a cursor of a position in what is none of this package's readings, bound
// to the parts of its request. The error is ErrNoCursorKey.
func (s *Service) Seal(position []byte, request ...string) (string, error) {
	return cursorsFor(s.cursorKeys(), request...).sealBytes(position)
}

// Open is the way back from Seal, nil for no cursor. The error is ErrCursor,
// ErrForeignCursor or ErrNoCursorKey.
func (s *Service) Open(cursor string, request ...string) ([]byte, error) {
	return cursorsFor(s.cursorKeys(), request...).openBytes(cursor)
}

// cursorKeys are all keys that open a cursor, the one that signs first.
func (s *Service) cursorKeys() [][]byte {
	if len(s.CursorKey) == 0 {
		return nil
	}
	return append([][]byte{s.CursorKey}, s.OlderKeys...)
}
