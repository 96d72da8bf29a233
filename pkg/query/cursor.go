package query

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of cursors.
var (
	ErrCursor        = errors.New("the cursor was not made here, or its key has changed: start again without a cursor")
	ErrForeignCursor = errors.New("the cursor belongs to another request: repeat the series, range, tier and direction it was made with")
	ErrNoCursorKey   = errors.New("no cursor key is set: pages cannot be continued")
)

// A cursor is base64url of version, binding, position and signature. The position
// is the order that was handed out last: 8 bytes of time, big endian, then the id.
// All of it is signed, none of it is secret.
const (
	cursorVersion = 1
	bindingSize   = 16
	timeSize      = 8
	signatureSize = 16

	leastCursor = 1 + bindingSize + timeSize + signatureSize
)

// cursors makes and opens the cursors of one request.
type cursors struct {
	key     []byte
	binding [bindingSize]byte // a hash of the request: its cursors open for no other
}

// cursorsOf binds cursors to a request. class tells events from the rows of a tier;
// limit and consistency are not bound and may change from page to page.
func cursorsOf(key []byte, class string, s Series, from, to model.Time, newest bool) cursors {
	c := cursors{key: key}
	h := sha256.New()
	for _, part := range []string{
		class, s.Kind.Subject.Name, s.Subject, s.Kind.Name, s.Stream,
		from.String(), to.String(), strconv.FormatBool(newest), strconv.Itoa(len(s.shards())),
	} {
		h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	copy(c.binding[:], h.Sum(nil))
	return c
}

// seal makes the cursor of a position.
func (c cursors) seal(past model.Order) (string, error) {
	if len(c.key) == 0 {
		return "", ErrNoCursorKey
	}
	signed := append([]byte{cursorVersion}, c.binding[:]...)
	signed = binary.BigEndian.AppendUint64(signed, uint64(past.At))
	signed = append(signed, past.ID...)
	return base64.RawURLEncoding.EncodeToString(append(signed, c.sign(signed)...)), nil
}

// open is the way back: the position of a cursor, nil where there is none.
func (c cursors) open(cursor string) (*model.Order, error) {
	if cursor == "" {
		return nil, nil
	}
	if len(c.key) == 0 {
		return nil, ErrNoCursorKey
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) < leastCursor || raw[0] != cursorVersion {
		return nil, ErrCursor
	}
	signed, signature := raw[:len(raw)-signatureSize], raw[len(raw)-signatureSize:]
	if !hmac.Equal(signature, c.sign(signed)) {
		return nil, ErrCursor
	}
	if [bindingSize]byte(signed[1:]) != c.binding {
		return nil, ErrForeignCursor
	}
	position := signed[1+bindingSize:]
	at := model.Time(binary.BigEndian.Uint64(position))
	return &model.Order{At: at, ID: string(position[timeSize:])}, nil
}

func (c cursors) sign(signed []byte) []byte {
	mac := hmac.New(sha256.New, c.key)
	mac.Write(signed)
	return mac.Sum(nil)[:signatureSize]
}
