package webui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// settings are what the pages read from their document, which is built without any. The addresses
// are those that the issuer states (OpenID Connect Discovery 1.0).
type settings struct {
	config.SignIn
	Authorize string `json:"authorize"`
	Token     string `json:"token"`
}

const noSettings = `name="sign-in" content=""`

// Deployed serves the pages of a stage: the same files, with its sign-in. It reads nothing of the
// stage. It is safe for concurrent use.
type Deployed struct {
	SignIn config.SignIn
	Client *http.Client // for the issuer

	mu    sync.Mutex // guards found
	found *settings  // read once; nil until then
}

// Serve returns the response to a request of a file. The status is 502 if the issuer cannot be read.
func (d *Deployed) Serve(ctx context.Context, r *httpapi.Request) httpapi.Response {
	name, others := files[r.Path], ""
	content, err := dist.ReadFile("dist/" + name)
	if err != nil || r.Method != http.MethodGet || !slices.ContainsFunc(httpapi.PagePaths, func(p string) bool { return r.Route.Allows("GET", p) }) {
		return httpapi.ProblemNotFound.New("the pages are at %s", Path).Response()
	}
	if name == "index.html" {
		if content, others, err = d.document(ctx, content); err != nil {
			return httpapi.JSON(http.StatusBadGateway, map[string]string{"message": err.Error()})
		}
	}
	all := headers(others)
	all["Content-Type"] = mime.TypeByExtension(path.Ext(name))
	return httpapi.File(r, content, all)
}

// document adds the settings to the document, and returns the origin that it needs.
func (d *Deployed) document(ctx context.Context, content []byte) ([]byte, string, error) {
	s, err := d.settings(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("read how to sign in at %s: %w", d.SignIn.Issuer, err)
	}
	text, err := json.Marshal(s)
	with := `name="sign-in" content="` + html.EscapeString(string(text)) + `"`
	return bytes.Replace(content, []byte(noSettings), []byte(with), 1), " " + originOf(s.Token), err
}

// settings returns the sign-in with what the issuer states. A failure is not kept.
func (d *Deployed) settings(ctx context.Context) (*settings, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.found == nil {
		issuer, err := oidc.NewProvider(oidc.ClientContext(ctx, d.Client), d.SignIn.Issuer)
		if err != nil {
			return nil, err
		}
		at := issuer.Endpoint()
		if originOf(at.AuthURL) == "" || originOf(at.TokenURL) == "" {
			return nil, errors.New("it states no https addresses for authorization and tokens")
		}
		d.found = &settings{d.SignIn, at.AuthURL, at.TokenURL}
	}
	return d.found, nil
}

// originOf returns the origin of an https address, "" of anything else.
func originOf(address string) string {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" || at.Host == "" || strings.ContainsAny(at.Host, "; ,'\"") {
		return ""
	}
	return at.Scheme + "://" + at.Host
}
