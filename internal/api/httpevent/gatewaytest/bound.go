package gatewaytest

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
)

// Bound returns what the authorizer says of callers who have routes of their own, by name: a link to a
// subject with its events, such as devices/acme:1, a write key, and a read key of sites with its id.
func Bound(t *testing.T, subject, id string) map[string]map[string]any {
	t.Helper()
	secret := []byte("the secret of the stage")
	shown := access.Link{Subject: subject, Until: time.Unix(9, 0), Events: true}
	link, err := access.CheckLink(access.NewLink(secret, shown), time.Unix(0, 0), secret)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]map[string]any{
		"a link":      link,
		"a write key": access.Scope{Key: "k1"}.Context(),
		"a read key":  access.Scope{Sites: []string{id}}.Context(),
	}
}
