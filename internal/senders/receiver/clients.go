package receiver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// Client serves what clients of InfluxDB ask before and beside their writes: whether the server is there, and
// whether a database, bucket or organization is, or to create it. Each one is there: a write may name any.
func (r *Receiver) Client(_ context.Context, q *httpapi.Request) httpapi.Response {
	parameters, err := url.ParseQuery(q.RawQuery)
	if err != nil {
		return r.lineProblem(httpapi.ProblemQuery.New("%v: escape it as a URL", err))
	}
	switch q.Path {
	case access.PathPing:
		version := map[string]string{"X-Influxdb-Version": "tidemark", "X-Influxdb-Build": "tidemark"}
		return httpapi.Response{Status: http.StatusNoContent, Headers: version}
	case access.PathQuery:
		return r.statement(q, parameters)
	case access.PathOrgs:
		return httpapi.JSON(http.StatusOK, map[string]any{"orgs": named(parameters.Get("org"))})
	}
	if strings.HasPrefix(q.Path, access.PathSources) {
		return r.writeByGet()
	}
	return r.buckets(q, parameters.Get("name"))
}

// writeByGet refuses what weather stations send by GET. It says what to do, where the gateway would only say
// that there is no such route.
func (r *Receiver) writeByGet() httpapi.Response {
	return r.lineProblem(httpapi.ProblemMethod.New("nothing was stored: a GET does not write, because "+
		"browsers, caches and previews of links repeat it, and a key in its URL would be in logs. Let a "+
		"proxy send it by POST with a key in the header Authorization, as docs/use/SENDERS.md shows for "+
		"weather stations").With("Allow", http.MethodPost))
}

// entry is a bucket or an organization. Its id follows from its name.
type entry struct {
	ID        string `json:"id"`
	OrgID     string `json:"orgID,omitempty"`
	Name      string `json:"name"`
	Retention []any  `json:"retentionRules"` // never nil
}

// named returns the entry of a name, none for no name: there is no list of all.
func named(name string) []entry {
	if name == "" {
		return []entry{}
	}
	sum := sha256.Sum256([]byte(name))
	return []entry{{ID: hex.EncodeToString(sum[:8]), Name: name, Retention: []any{}}}
}

// buckets returns the bucket that a request asks for or creates.
func (r *Receiver) buckets(q *httpapi.Request, name string) httpapi.Response {
	if q.Method == http.MethodGet {
		return httpapi.JSON(http.StatusOK, map[string]any{"buckets": named(name)})
	}
	body, problem := q.Bytes(r.Limits)
	if problem != nil {
		return r.lineProblem(problem)
	}
	var given entry
	if err := json.Unmarshal(body, &given); err != nil || given.Name == "" {
		return r.lineProblem(httpapi.ProblemBody.New("a bucket needs a name"))
	}
	created := named(given.Name)[0]
	created.OrgID = given.OrgID
	return httpapi.JSON(http.StatusCreated, created)
}

var (
	// changes are the statements of InfluxQL that prepare writes.
	changes = regexp.MustCompile(`(?i)^\s*(CREATE|ALTER)\s+(DATABASE|RETENTION\s+POLICY)\b`)
	shows   = regexp.MustCompile(`(?i)^\s*SHOW\s+DATABASES\b`)
)

// statement serves a statement of InfluxQL. A statement that prepares writes has nothing to do; no other is
// served.
func (r *Receiver) statement(q *httpapi.Request, parameters url.Values) httpapi.Response {
	text := parameters.Get("q")
	if q.Method == http.MethodPost && text == "" {
		body, problem := q.Bytes(r.Limits)
		if problem != nil {
			return r.lineProblem(problem)
		}
		form, _ := url.ParseQuery(string(body)) // another body has no q
		text = form.Get("q")
	}
	result := map[string]any{"statement_id": 0}
	switch {
	case changes.MatchString(text):
	case shows.MatchString(text):
		database := parameters.Get("db")
		values := [][]string{}
		if database != "" {
			values = append(values, []string{database})
		}
		series := map[string]any{"name": "databases", "columns": []string{"name"}, "values": values}
		result["series"] = []any{series}
	default:
		return r.lineProblem(httpapi.ProblemQuery.New("%.64q is not served: only CREATE DATABASE and such are, "+
			"and do nothing. Read with GET /v1/hosts/ID/metrics, or with Prometheus", strings.TrimSpace(text)))
	}
	return httpapi.JSON(http.StatusOK, map[string]any{"results": []any{result}})
}
