package ui

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/stack"
)

// issuer is a small OpenID provider, which checks what the code flow with PKCE requires of a client.
type issuer struct {
	*httptest.Server
	client, redirect, scope string

	mu     sync.Mutex
	codes  map[string]string // the challenge of each code that was not used
	tokens map[string]bool   // issued and not revoked
	deny   bool              // refuse the next sign-in
}

func startIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{client: "pages", scope: "openid tidemark/read", codes: map[string]string{},
		tokens: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize",
			"token_endpoint": i.URL + "/token"})
	})
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("POST /deny", func(http.ResponseWriter, *http.Request) { i.change(func() { i.deny = true }) })
	mux.HandleFunc("POST /revoke", func(http.ResponseWriter, *http.Request) {
		i.change(func() { clear(i.tokens) })
	})
	i.Server = startTLS(t, mux)
	return i
}

// startTLS starts a server with a certificate of its own, which the browser accepts only after it has
// refused it.
func startTLS(t *testing.T, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (i *issuer) change(what func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	what()
}

// authorize returns the reader to the page with a code, as after a sign-in that needs no question.
func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	challenge, err := base64.RawURLEncoding.Strict().DecodeString(q.Get("code_challenge"))
	if q.Get("response_type") != "code" || q.Get("client_id") != i.client ||
		q.Get("redirect_uri") != i.redirect || q.Get("scope") != i.scope ||
		q.Get("audience") != "tidemark" || q.Get("code_challenge_method") != "S256" || err != nil ||
		len(challenge) != sha256.Size || len(q.Get("state")) < 32 {
		http.Error(w, "not a request of the code flow with PKCE: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {q.Get("state")}, "iss": {i.URL}}
	i.change(func() {
		if i.deny {
			i.deny = false
			answer.Set("error", "access_denied")
			answer.Set("error_description", "You are not a reader")
			return
		}
		code := rand.Text()
		i.codes[code] = q.Get("code_challenge")
		answer.Set("code", code)
	})
	http.Redirect(w, r, i.redirect+"?"+answer.Encode(), http.StatusFound)
}

// token changes a code into a token, once, for who has the verifier of its challenge.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", strings.TrimSuffix(i.redirect, "/ui/"))
	w.Header().Set("Content-Type", "application/json")
	verifier := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	i.change(func() {
		challenge, ok := i.codes[r.PostFormValue("code")]
		delete(i.codes, r.PostFormValue("code"))
		if !ok || challenge != base64.RawURLEncoding.EncodeToString(verifier[:]) ||
			r.PostFormValue("grant_type") != "authorization_code" ||
			r.PostFormValue("client_id") != i.client || r.PostFormValue("redirect_uri") != i.redirect {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant"}`)
			return
		}
		token := rand.Text()
		i.tokens[token] = true
		json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
	})
}

func (i *issuer) accepts(token string) (ok bool) {
	i.change(func() { ok = i.tokens[token] })
	return ok
}

// stage serves a local stack as a deployed one with ui: true: the built function serves the pages, the API
// needs a token of the issuer, and there are shared links. It returns the environment of the scenarios.
func stage(t *testing.T, s *stack.Stack) []string {
	t.Helper()
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	from := startIssuer(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: from.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	files := pages(t, ca,
		config.SignIn{Issuer: from.URL, Client: from.client, Scope: from.scope, Audience: "tidemark"})
	api := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) },
		ErrorLog: log.New(io.Discard, "", 0)}
	gateway := startTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case strings.HasPrefix(r.URL.Path, "/ui"):
			files.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, access.LinkPathPrefix+"/"):
			api.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/local/"):
			t.Errorf("the deployed pages read %s", r.URL.Path)
		case from.accepts(token):
			api.ServeHTTP(w, r)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"message":"Unauthorized"}`)
		}
	}))
	from.redirect = gateway.URL + "/ui/"
	link := func(subject string, after time.Duration, events bool) string {
		return access.NewLink([]byte(access.LocalSiteSecret), access.Link{Subject: subject,
			Until: machine.Now().Add(after), Events: events})
	}
	forged := access.NewLink([]byte("another secret"), access.Link{Subject: "devices/" + device,
		Until: machine.Now().Add(time.Hour)})
	return []string{"NODE_EXTRA_CA_CERTS=" + ca, "STAGE=" + gateway.URL, "ISSUER=" + from.URL,
		"LINK=" + link("devices/"+device, time.Hour, false), "SITE_LINK=" + link("sites/"+site, time.Hour,
			false),
		"ENDED=" + link("devices/"+device, -time.Minute,
			false), "FORGED=" + forged, "MARKUP_LINK=" + link("devices/"+hostile, time.Hour, true)}
}

// pages runs function pages under the Lambda Runtime API, behind the routes that a stage has for it.
func pages(t *testing.T, ca string, in config.SignIn) http.Handler {
	t.Helper()
	built, err := stack.FindBinaries(t.Context(), "", "pages")
	if err != nil {
		testenv.Missing(t, "binaries", err)
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	function, err := stack.StartFunction(t.Context(), stack.FunctionOptions{
		Name: "tidemark-pages", Binary: built["pages"], Timeout: config.Pages.Timeout, Concurrency: 1,
		Env: []string{config.EnvSignIn + "=" + string(text), "SSL_CERT_FILE=" + ca},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(function.Stop)
	var routes []stack.Route
	for _, path := range httpapi.PagePaths {
		routes = append(routes, stack.Route{Method: http.MethodGet, Path: path, To: function})
	}
	front, err := stack.StartFront("0", "", machine, routes, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { front.Stop(context.Background()) })
	at, err := url.Parse(front.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }}
}
