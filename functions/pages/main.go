// Command pages is the Lambda function that serves the pages of a stage with ui: true. Its routes
// are public, so it has no rights: the pages read the API with the token of the reader.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpevent"
	"github.com/tidemark-db/tidemark/internal/api/startup"
	"github.com/tidemark-db/tidemark/internal/api/webui"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

func main() { startup.Serve(os.Stdout, wire, func(f *function) any { return f.handle }) }

// function serves the pages. It is safe for concurrent use.
type function struct{ pages webui.Deployed }

// issuerWithin limits the request to the issuer of tokens.
const issuerWithin = 3 * time.Second

// wire builds the function from the environment.
func wire(_ context.Context, getenv func(string) string, log *slog.Logger) (*function, error) {
	f := &function{webui.Deployed{Client: &http.Client{Timeout: issuerWithin}, Now: time.Now, Log: log}}
	if err := json.Unmarshal([]byte(getenv(config.EnvSignIn)), &f.pages.SignIn); err != nil {
		return nil, fmt.Errorf("read %s: %w", config.EnvSignIn, err)
	}
	return f, nil
}

// handle serves one request of any HTTP gateway. The error is for a payload that is no HTTP request.
func (f *function) handle(ctx context.Context, payload json.RawMessage) (any, error) {
	r, encode, err := httpevent.Decode(payload)
	if err != nil {
		return nil, err
	}
	return encode(f.pages.Serve(ctx, r)), nil
}
