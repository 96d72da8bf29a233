package query

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of cursors.
var (
	ErrCursor = errors.New(
		"the cursor is invalid, or its key is no longer accepted: start again without a cursor")
	ErrCursorMismatch = errors.New(
		"the cursor belongs to another request: send the same series, time range, tier and direction as " +
			"in the request that returned it")
	ErrNoCursorKey = errors.New("no cursor key is configured: a page cannot return or accept a cursor")
)

// A cursor is the base64url encoding of a version, a nonce, and binding and position, encrypted with
// AES-256-GCM. The position of a pager is the order it returned last: 8 bytes of time, big endian, then the
// id. It is encrypted because a page may end at an item that the caller may not see, such as one of another
// owner. The nonce is a keyed hash of what it encrypts, so that the same page has the same cursor, and the
// same entity tag.
const (
	cursorVersion = 2 // version 1 was signed and not encrypted
	bindingSize   = 16
	timeSize      = 8
)

// cursors creates and opens the cursors of one request.
type cursors struct {
	keys    [][]byte          // the first one encrypts, any of them decrypts
	binding [bindingSize]byte // hash of the request: its cursors are not valid for others
}

// newCursors binds cursors to a request. class distinguishes events from the rows of a
// tier. Limit and consistency are not bound and may change from page to page.
func newCursors(keys [][]byte, class string, s Series, from, to model.Time, newest bool) cursors {
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

// seal creates the cursor of a position.
func (c cursors) seal(past model.Order) (string, error) {
	position := binary.BigEndian.AppendUint64(nil, uint64(past.At))
	return c.sealBytes(append(position, past.ID...))
}

// sealNext is seal for the next page of a list of subjects; "" for the zero position: there is none.
func (c cursors) sealNext(next model.Order) (string, error) {
	if next == (model.Order{}) {
		return "", nil
	}
	return c.seal(next)
}

// openNext returns the position of sealNext; the zero position for "": the beginning.
func (c cursors) openNext(cursor string) (after model.Order, _ error) {
	position, err := c.open(cursor)
	if position != nil {
		after = *position
	}
	return after, err
}

func (c cursors) sealBytes(position []byte) (string, error) {
	if len(c.keys) == 0 {
		return "", ErrNoCursorKey
	}
	with, err := cursorCipher(c.keys[0])
	if err != nil {
		return "", err
	}
	opened := append(c.binding[:], position...)
	mac := hmac.New(sha256.New, c.keys[0])
	mac.Write(opened)
	nonce := mac.Sum(nil)[:with.NonceSize()]
	sealed := append([]byte{cursorVersion}, nonce...)
	sealed = with.Seal(sealed, nonce, opened, sealed[:1])
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// open returns the position of a cursor; nil for an empty cursor.
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
	if err != nil || len(raw) == 0 || raw[0] != cursorVersion {
		return nil, ErrCursor
	}
	for _, key := range c.keys {
		with, err := cursorCipher(key)
		if err != nil {
			return nil, err
		}
		if len(raw) < 1+with.NonceSize() {
			return nil, ErrCursor
		}
		nonce, sealed := raw[1:1+with.NonceSize()], raw[1+with.NonceSize():]
		opened, err := with.Open(nil, nonce, sealed, raw[:1])
		switch {
		case err != nil || len(opened) < bindingSize:
			continue
		case [bindingSize]byte(opened) != c.binding:
			return nil, ErrCursorMismatch
		}
		return opened[bindingSize:], nil
	}
	return nil, ErrCursor
}

// cursorCipher encrypts with a key of any length.
func cursorCipher(key []byte) (cipher.AEAD, error) {
	derived := sha256.Sum256(append([]byte("tidemark cursor\x00"), key...))
	block, err := aes.NewCipher(derived[:])
	if err != nil {
		return nil, fmt.Errorf("encrypt a cursor: %w", err)
	}
	return cipher.NewGCM(block)
}

// SealCursor creates a cursor for a read outside this package, bound to the parts of its
// request. The error is ErrNoCursorKey.
func (s *Service) SealCursor(position []byte, request ...string) (string, error) {
	return cursorsFor(s.cursorKeys(), request...).sealBytes(position)
}

// OpenCursor returns the position in a cursor from SealCursor; nil for an empty cursor.
// The error is ErrCursor, ErrCursorMismatch or ErrNoCursorKey.
func (s *Service) OpenCursor(cursor string, request ...string) ([]byte, error) {
	return cursorsFor(s.cursorKeys(), request...).openBytes(cursor)
}

// cursorKeys returns all keys that open a cursor; the first one seals.
func (s *Service) cursorKeys() [][]byte {
	if len(s.CursorKey) == 0 {
		return nil
	}
	return append([][]byte{s.CursorKey}, s.OlderKeys...)
}
