package access

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// PathPrefix begins the paths that are read with the token of a link. The path of the API
// follows: /shared/v1/devices/sensor_01/series.
const LinkPathPrefix = "/shared"

// LinkRoute is the path of the gateway's route for links.
const LinkRoute = LinkPathPrefix + "/{proxy+}"

// ErrInvalidLink is returned for a token that was not signed, has expired, or is of another subject.
var ErrInvalidLink = errors.New("the shared link is not valid for this path, or it has expired")

// MaxAge is how long a link can be valid.
const MaxLinkAge = 366 * 24 * time.Hour

const (
	linkPurpose    = "shared link" // separates the tokens from other uses of the secret
	withEvents     = "+events"     // follows the end of a link that shows events
	contextSubject = "sharedSubject"
	contextEvents  = "sharedEvents"
)

// Link is what a shared link shows.
type Link struct {
	Subject string    // as devices/sensor_01
	Until   time.Time // to the second
	Events  bool      // its events too, in addition to figures
}

// NewLink returns the token of a link. The signature covers everything that the link shows.
func NewLink(secret []byte, l Link) string {
	until := strconv.FormatInt(l.Until.Unix(), 10)
	if l.Events {
		until += withEvents
	}
	return seal(secret, linkPurpose, until+" "+l.Subject)
}

// CheckLink returns the context of an authorizer for a token that one of the secrets has signed and that
// has not expired, else ErrInvalidLink.
func CheckLink(token string, now time.Time, secrets ...[]byte) (map[string]any, error) {
	text, ok := openSealed(token, linkPurpose, secrets...)
	until, subject, _ := strings.Cut(text, " ")
	until, events := strings.CutSuffix(until, withEvents)
	seconds, err := strconv.ParseInt(until, 10, 64)
	if !ok || err != nil || now.Unix() >= seconds {
		return nil, ErrInvalidLink
	}
	return map[string]any{contextSubject: subject, contextEvents: events}, nil
}

// LinkAllows returns nil if the authorizer of a request, which returned this context, allows reading
// all of the subjects. An id may contain slashes, so that only the function that reads knows which
// subject a path names. Without an authorizer nothing is allowed.
func LinkAllows(context map[string]any, subjects ...string) error {
	shared, _ := context[contextSubject].(string)
	if shared == "" || slices.ContainsFunc(subjects, func(s string) bool { return s != shared }) {
		return fmt.Errorf("%w: it shows %q only", ErrInvalidLink, shared)
	}
	return nil
}

// LinkShowsEvents reports whether the authorizer of a request allows reading events.
func LinkShowsEvents(context map[string]any) bool {
	events, _ := context[contextEvents].(bool)
	return events
}
