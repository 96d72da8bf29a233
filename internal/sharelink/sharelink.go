// Package sharelink signs and checks the tokens of shared links. A link shows one subject to
// everyone who has it, read-only, until it expires.
package sharelink

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/signed"
)

// PathPrefix begins the paths that are read with the token of a link. The path of the API
// follows: /shared/v1/devices/sensor_01/series.
const PathPrefix = "/shared"

// ErrInvalid is returned for a token that was not signed, has expired, or is of another subject.
var ErrInvalid = errors.New("the shared link is not valid for this path, or it has expired")

// MaxAge is how long a link can be valid.
const MaxAge = 366 * 24 * time.Hour

const (
	purpose        = "shared link" // separates the tokens from other uses of the secret
	contextSubject = "sharedSubject"
)

// New returns the token of a link to a subject, as devices/sensor_01. The token has the end of its
// validity, to the second, and the signature covers both.
func New(secret []byte, subject string, until time.Time) string {
	return signed.Seal(secret, purpose, strconv.FormatInt(until.Unix(), 10)+" "+subject)
}

// Check returns the context of an authorizer for a token that one of the secrets has signed and that
// has not expired, else ErrInvalid.
func Check(token string, now time.Time, secrets ...[]byte) (map[string]any, error) {
	text, ok := signed.Open(token, purpose, secrets...)
	until, subject, _ := strings.Cut(text, " ")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if !ok || err != nil || now.Unix() >= seconds {
		return nil, ErrInvalid
	}
	return map[string]any{contextSubject: subject}, nil
}

// Allows returns nil if the authorizer of a request, which returned this context, allows reading
// all of the subjects. An id may contain slashes, so that only the function that reads knows which
// subject a path names. Without an authorizer nothing is allowed.
func Allows(context map[string]any, subjects ...string) error {
	shared, _ := context[contextSubject].(string)
	if shared == "" || slices.ContainsFunc(subjects, func(s string) bool { return s != shared }) {
		return fmt.Errorf("%w: it shows %q only", ErrInvalid, shared)
	}
	return nil
}
