// Package writekey creates and checks the keys of senders that can send a header and cannot
// sign their requests. A key allows writing for some subjects and kinds, and reads nothing.
package writekey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Paths are the paths to which senders write with a key, all by POST. The infrastructure, the
// local stack and the function that serves them share this list.
var Paths = []string{"/write", "/api/v2/write", "/api/v3/write_lp", PathMetrics}

// PathMetrics is the path of OTLP; all others are those of InfluxDB line protocol.
const PathMetrics = "/otlp/v1/metrics"

// A token is tm_, the id of its key, and a secret of 128 random bits, in capitals and digits.
const (
	tokenPrefix = "tm_"
	idLength    = 10
)

func newToken(id string) (token string, hash []byte) {
	secret := rand.Text()
	return tokenPrefix + id + "_" + secret, hashOf(secret)
}

func hashOf(secret string) []byte {
	hash := sha256.Sum256([]byte(secret))
	return hash[:]
}

// parseToken returns the parts of a token. ok is false for other text.
func parseToken(token string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	id, secret, cut := strings.Cut(rest, "_")
	return id, secret, ok && cut && id != "" && secret != ""
}

// TokenOf returns the token of an Authorization header: "Token …" and "Bearer …" as the
// clients of InfluxDB 2 and 3 and of OTLP send it, or the password of "Basic …", as those of
// InfluxDB 1 do. It returns "" if there is none.
func TokenOf(header string) string {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(header), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(scheme) {
	case "token", "bearer":
		return rest
	case "basic":
		decoded, err := base64.StdEncoding.DecodeString(rest)
		if err != nil {
			return ""
		}
		_, password, _ := strings.Cut(string(decoded), ":")
		return password
	}
	return ""
}

// Scope is what a key allows. The authorizer passes it to the function that writes.
type Scope struct {
	Key      string // id; "" is no key
	Subjects string // beginning of the ids of subjects
	Kinds    []string
}

// String returns what the key allows, for messages.
func (s Scope) String() string {
	text := "every subject"
	if s.Subjects != "" {
		text = fmt.Sprintf("subjects that begin with %q", s.Subjects)
	}
	if len(s.Kinds) > 0 {
		text += " and kinds " + strings.Join(s.Kinds, ", ")
	}
	return text
}

// The fields of an authorizer's context.
const (
	contextKey      = "writeKey"
	contextSubjects = "subjects"
	contextKinds    = "kinds"
)

// Context returns the scope as the context of an authorizer.
func (s Scope) Context() map[string]any {
	return map[string]any{contextKey: s.Key, contextSubjects: s.Subjects, contextKinds: strings.Join(s.Kinds, ",")}
}

// ScopeOf returns the scope that the authorizer of a request returned. ok is false if no
// authorizer has checked a key, even if the API was deployed without one.
func ScopeOf(context map[string]any) (s Scope, ok bool) {
	s.Key, _ = context[contextKey].(string)
	s.Subjects, _ = context[contextSubjects].(string)
	kinds, _ := context[contextKinds].(string)
	s.Kinds = strings.FieldsFunc(kinds, func(r rune) bool { return r == ',' })
	return s, s.Key != ""
}

// Allows reports whether the key may write observations of a kind and subject.
func (s Scope) Allows(kind *catalog.Kind, subject string) bool {
	return strings.HasPrefix(subject, s.Subjects) && (len(s.Kinds) == 0 || slices.Contains(s.Kinds, kind.Name))
}
