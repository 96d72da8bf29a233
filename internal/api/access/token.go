package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// WriteKeyPaths are the paths to which senders write with a key, all by POST. The infrastructure, the
// local stack and the function that serves them share this list.
var WriteKeyPaths = []string{
	"/write", "/api/v2/write", "/api/v3/write_lp", PathMetrics, PathSources + "{source}", PathRemoteWrite,
}

// ClientRoute is a request that clients of InfluxDB send beside their writes, or stations in place of one.
type ClientRoute struct {
	Method, Path string
	Public       bool // sent without a key
}

// ClientRoutes are those that Tidemark responds to. They read and change nothing.
var ClientRoutes = []ClientRoute{
	{Method: "GET", Path: PathPing, Public: true}, {Method: "HEAD", Path: PathPing, Public: true},
	{Method: "GET", Path: PathQuery}, {Method: "POST", Path: PathQuery},
	{Method: "GET", Path: PathBuckets}, {Method: "POST", Path: PathBuckets}, {Method: "GET", Path: PathOrgs},
	{Method: "GET", Path: PathSources + "{source}", Public: true}, // of weather stations
}

// The paths of ClientRoutes.
const (
	PathPing    = "/ping"
	PathQuery   = "/query"
	PathBuckets = "/api/v2/buckets"
	PathOrgs    = "/api/v2/orgs"
)

// The paths of queries of websites in the forms of Plausible's Stats API: version 2, and the reports of
// version 1, whose names follow.
const (
	PathStats   = "/api/v2/query"
	PathReports = "/api/v1/stats/"
)

// ReportRoute is the path of the gateway's route for the reports of version 1.
const ReportRoute = PathReports + "{proxy+}"

// UsesReadKey reports whether a read key authorizes a route, of which allows reports what it stands for.
func UsesReadKey(allows func(method, path string) bool) bool {
	return allows("POST", PathStats) || allows("GET", ReportRoute)
}

// UsesWriteKey reports whether a write key authorizes a route, of which allows reports what it stands for.
func UsesWriteKey(allows func(method, path string) bool) bool {
	writes := func(path string) bool { return allows("POST", path) }
	asks := func(r ClientRoute) bool { return !r.Public && allows(r.Method, r.Path) }
	return slices.ContainsFunc(WriteKeyPaths, writes) || slices.ContainsFunc(ClientRoutes, asks)
}

// Paths that are not of InfluxDB line protocol.
const (
	PathMetrics     = "/otlp/v1/metrics" // OTLP
	PathRemoteWrite = "/api/v1/write"    // Prometheus
	PathSources     = "/sources/"        // begins the paths of messages in JSON, by the name of their source
)

// A token is tm_, the id of its key, and a secret of 128 random bits, in capitals and digits.
const (
	tokenPrefix = "tm_"
	idLength    = 10
)

func newToken(id string) (token string, hash []byte) {
	secret := rand.Text()
	return tokenPrefix + id + "_" + secret, secretHash(secret)
}

func secretHash(secret string) []byte {
	hash := sha256.Sum256([]byte(secret))
	return hash[:]
}

// parseToken returns the parts of a token. ok is false for other text.
func parseToken(token string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(token, tokenPrefix)
	id, secret, cut := strings.Cut(rest, "_")
	return id, secret, ok && cut && id != "" && secret != ""
}

// Token returns the token of an Authorization header: "Token …" and "Bearer …" as the clients of
// InfluxDB 2 and 3 and of OTLP send it, or the password of "Basic …", as clients of InfluxDB 1 do.
// It returns "" if there is none.
func Token(header string) string {
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

// Scope is what a key allows. The authorizer passes it to the function that serves the request.
type Scope struct {
	Key      string // id; "" is no key
	Subjects string // beginning of the ids of subjects
	Kinds    []string
	Sites    []string // ids of websites that it reads; such a key writes nothing
}

// String returns what the key allows, for messages.
func (s Scope) String() string {
	if len(s.Sites) > 0 {
		return "reads sites " + strings.Join(s.Sites, ", ")
	}
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
	contextSites    = "readSites"
)

// Context returns the scope as the context of an authorizer.
func (s Scope) Context() map[string]any {
	if len(s.Sites) > 0 {
		return map[string]any{contextSites: strings.Join(s.Sites, " ")}
	}
	return map[string]any{contextKey: s.Key, contextSubjects: s.Subjects,
		contextKinds: strings.Join(s.Kinds, ",")}
}

// ScopeOf returns the scope that the authorizer of a request returned. ok is false if no
// authorizer has checked a key, even if the API was deployed without one.
func ContextScope(context map[string]any) (s Scope, ok bool) {
	s.Key, _ = context[contextKey].(string)
	s.Subjects, _ = context[contextSubjects].(string)
	kinds, _ := context[contextKinds].(string)
	s.Kinds = strings.FieldsFunc(kinds, func(r rune) bool { return r == ',' })
	return s, s.Key != ""
}

// ReadSites returns the websites that the read key of a request shows. ok is false if no authorizer has
// checked a read key.
func ReadSites(context map[string]any) (sites []string, ok bool) {
	text, _ := context[contextSites].(string)
	return strings.Fields(text), text != ""
}

// IsBound reports whether an authorizer's context is of a key or a link, which is for its own routes only.
func IsBound(context map[string]any) bool {
	return slices.ContainsFunc([]string{contextKey, contextSites, contextSubject}, func(name string) bool {
		_, found := context[name]
		return found
	})
}

// Allows reports whether the key may write observations of a kind and subject.
func (s Scope) Allows(kind *catalog.Kind, subject string) bool {
	return strings.HasPrefix(subject, s.Subjects) && (len(s.Kinds) == 0 || slices.Contains(s.Kinds, kind.Name))
}
