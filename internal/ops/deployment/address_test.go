package deployment_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/ops/deployment"
)

func TestHTTPClient_RefusesAnAddressWithoutItsScheme(t *testing.T) {
	for address, valid := range map[string]bool{"http://localhost:8080": true, "https://example.com": true,
		"localhost:8080": false, "127.0.0.1:8080": false, "": false, "https://": false} {
		_, err := deployment.HTTPClient(address, "", 0, nil)
		if (err == nil) != valid || !valid && !usererr.Is(err) {
			t.Errorf("%q: %v; valid: %v", address, err, valid)
		}
	}
}
