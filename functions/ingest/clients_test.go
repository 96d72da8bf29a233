package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/access"
)

// Clients of InfluxDB send these requests before their writes: Telegraf's outputs, and the client libraries
// of versions 1 and 2.
func TestClients_AreAnsweredAsTheirProtocolsSay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		method, path, query, body string
		status                    int
		want                      string
	}{
		{"GET", access.PathPing, "", "", 204, ""},
		{"HEAD", access.PathPing, "verbose=true", "", 204, ""},
		{"POST", access.PathQuery, "", "q=CREATE+DATABASE+%22telegraf%22", 200, `{"results":[{"statement_id":0}]}`},
		{"POST", access.PathQuery, "q=create%20retention%20policy%20a%20on%20b", "", 200, `"results"`},
		{"GET", access.PathQuery, "q=SHOW%20DATABASES&db=telegraf", "", 200, `"values":[["telegraf"]]`},
		{"GET", access.PathQuery, "q=SELECT%201", "", 400, "is not served"},
		{"GET", access.PathBuckets, "name=x", "", 200, `"name":"x"`},
		{"GET", access.PathBuckets, "", "", 200, `{"buckets":[]}`},
		{"POST", access.PathBuckets, "", `{"name":"x","orgID":"1"}`, 201, `"orgID":"1"`},
		{"GET", access.PathOrgs, "org=acme", "", 200, `"name":"acme"`},
		{"GET", access.PathSources + "wunderground", "ID=K1&tempf=70", "", 405, "by POST with a key"},
	} {
		var r events.APIGatewayV2HTTPRequest
		r.Version = "2.0"
		r.RawPath = c.path
		r.RawQueryString = c.query
		r.Body = c.body
		r.RouteKey = c.method + " " + strings.Replace(c.path, "wunderground", "{source}", 1)
		r.RequestContext.HTTP.Method = c.method
		payload, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		response, err := f.handle(invocation(t, "1"), payload)
		if err != nil {
			t.Fatal(err)
		}
		got := response.(events.APIGatewayV2HTTPResponse)
		if got.StatusCode != c.status || !strings.Contains(got.Body, c.want) {
			t.Errorf("%s %s?%s: %d %s, want %d and %s", c.method, c.path, c.query,
				got.StatusCode, got.Body, c.status, c.want)
		}
	}
}
