package protocol_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A name of a website can be resolved to this machine: a page of it would read and delete the table.
func TestListen_ServesNoPageOfAnotherWebsite(t *testing.T) {
	l, err := protocol.Listen(protocol.New("us-east-1",
		func() model.Time { return model.NewTime(time.Now()) }))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Stop()
	// A request that may be served is refused by the table, for its signature is missing.
	for _, c := range []struct {
		host, origin string
		want         int
	}{{"evil.example", "", 421}, {"", "https://evil.example", 403}, {"", "", 400}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.Endpoint,
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Origin", c.origin)
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
		if c.origin == "" {
			r.Header.Del("Origin")
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("host %q, origin %q: %d, want %d", c.host, c.origin, res.StatusCode, c.want)
		}
	}
}
