package webui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
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
	Now    func() time.Time
	Log    *slog.Logger

	mu       sync.Mutex // guards the rest
	page     *document  // read once; nil until then
	failedAt time.Time  // of the last attempt to read the issuer
}

// document is the file with the settings, and the origin that it needs.
type document struct {
	*httpapi.File
	origin string
}

// failureKept is how long a failure to read the issuer is the response to all: each anonymous request would
// send one to the issuer, and wait for it.
const failureKept = 10 * time.Second

const unreadIssuer = "the issuer of tokens cannot be read: try again in some seconds; " +
	"the log of function pages has the reason"

// storedFiles are the files beside the document, by name.
var storedFiles = sync.OnceValue(func() map[string]*httpapi.File {
	all := map[string]*httpapi.File{}
	for _, name := range files {
		if name != documentName {
			content, _ := dist.ReadFile("dist/" + name) // it is embedded
			all[name] = httpapi.NewFile(content)
		}
	}
	return all
})

// Serve returns the response to a request of a file. The status is 502 if the issuer cannot be read.
func (d *Deployed) Serve(ctx context.Context, r *httpapi.Request) httpapi.Response {
	name := files[r.Path]
	routed := func(path string) bool { return r.Route.Allows("GET", path) }
	if name == "" || r.Method != http.MethodGet || !slices.ContainsFunc(httpapi.PagePaths, routed) {
		return httpapi.ProblemNotFound.New("the pages are at %s", Path).Response()
	}
	file, others := storedFiles()[name], ""
	if name == documentName {
		page := d.document(ctx)
		if page == nil {
			return httpapi.JSON(http.StatusBadGateway, map[string]string{"message": unreadIssuer})
		}
		file, others = page.File, page.origin
	}
	all := headers(others)
	all["Content-Type"] = mime.TypeByExtension(path.Ext(name))
	if name != documentName && r.RawQuery == file.Tag() { // the document names this content
		all["Cache-Control"] = "public, max-age=31536000, immutable"
	}
	return file.Serve(r, all)
}

// document returns the document with the settings, nil if the issuer cannot be read.
func (d *Deployed) document(ctx context.Context) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.page != nil || d.Now().Sub(d.failedAt) < failureKept {
		return d.page
	}
	s, err := d.settings(ctx)
	if err != nil {
		d.failedAt = d.Now()
		d.Log.ErrorContext(ctx, "issuer not read", "issuer", d.SignIn.Issuer, telemetry.FieldError, err)
		return nil
	}
	text, _ := json.Marshal(s) // plain texts
	content, _ := dist.ReadFile("dist/" + documentName)
	with := `name="sign-in" content="` + html.EscapeString(string(text)) + `"`
	content = bytes.Replace(content, []byte(noSettings), []byte(with), 1)
	for name, file := range storedFiles() {
		content = bytes.Replace(content, []byte(Path+name+`"`), []byte(Path+name+"?"+file.Tag()+`"`), 1)
	}
	d.page = &document{File: httpapi.NewFile(content), origin: " " + parseOrigin(s.Token)}
	return d.page
}

// settings returns the sign-in with what the issuer states.
func (d *Deployed) settings(ctx context.Context) (*settings, error) {
	issuer, err := oidc.NewProvider(oidc.ClientContext(ctx, d.Client), d.SignIn.Issuer)
	if err != nil {
		return nil, err
	}
	at := issuer.Endpoint()
	if parseOrigin(at.AuthURL) == "" || parseOrigin(at.TokenURL) == "" {
		return nil, errors.New("it states no https addresses for authorization and tokens")
	}
	return &settings{SignIn: d.SignIn, Authorize: at.AuthURL, Token: at.TokenURL}, nil
}

// parseOrigin returns the origin of an https address, "" of anything else.
func parseOrigin(address string) string {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" || at.Host == "" || strings.ContainsAny(at.Host, "; ,'\"") {
		return ""
	}
	return at.Scheme + "://" + at.Host
}
