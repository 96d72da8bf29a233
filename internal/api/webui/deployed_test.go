package webui

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

var signInOf = regexp.MustCompile(`<meta name="sign-in" content="([^"]*)">`)

func TestDeployed_TellsThePagesHowToSignIn(t *testing.T) {
	t.Parallel()
	reads := 0
	mux := http.NewServeMux()
	issuer := httptest.NewTLSServer(mux)
	defer issuer.Close()
	mux.HandleFunc("GET /pool/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reads++
		if reads == 1 {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"issuer":"%s/pool","authorization_endpoint":"https://login.example.com/authorize?x=\"","token_endpoint":"https://tokens.example.com/token"}`, issuer.URL)
	})
	d := deployed(issuer)
	d.SignIn = config.SignIn{
		Issuer: issuer.URL + "/pool", Client: "pages", Scope: "openid tidemark/read", Audience: "tidemark",
	}
	now := time.Unix(1_000_000, 0)
	d.Now = func() time.Time { return now }
	get := func(path string) httpapi.Response {
		return unzipped(t, d.Serve(t.Context(), &httpapi.Request{Method: "GET", Path: path}))
	}
	for range 3 {
		if got := get("/ui/"); got.Status != http.StatusBadGateway || strings.Contains(got.Body, issuer.URL) {
			t.Errorf("an issuer that fails: status %d %s, want 502 without the error", got.Status, got.Body)
		}
	}
	if reads != 1 {
		t.Errorf("an issuer that fails was read %d times for three requests, want once", reads)
	}
	now = now.Add(failureKept)
	for _, path := range []string{"/ui/", "/ui"} {
		page := get(path)
		var got settings
		if found := signInOf.FindStringSubmatch(page.Body); found == nil ||
			json.Unmarshal([]byte(html.UnescapeString(found[1])), &got) != nil {
			t.Fatalf("%s has no settings: %s", path, page.Body)
		}
		if want := (settings{SignIn: d.SignIn, Authorize: `https://login.example.com/authorize?x="`,
			Token: "https://tokens.example.com/token"}); got != want {
			t.Errorf("%s: the page reads %+v, want %+v", path, got, want)
		}
		if csp := page.Headers["Content-Security-Policy"]; !strings.Contains(csp,
			"connect-src 'self' https://tokens.example.com;") || !strings.HasPrefix(page.Headers["Content-Type"], "text/html") {
			t.Errorf("%s: %v", path, page.Headers)
		}
	}
	if reads != 2 {
		t.Errorf("the issuer was read %d times, want once after the failure", reads)
	}
	script := d.Serve(t.Context(), &httpapi.Request{Method: "GET", Path: "/ui/app.js"})
	if !script.Base64 || script.Headers["Content-Encoding"] != "gzip" ||
		!strings.Contains(script.Headers["Content-Type"], "javascript") ||
		strings.Contains(script.Headers["Content-Security-Policy"], "tokens") {
		t.Errorf("app.js: %v", script.Headers)
	}
	if cached := script.Headers["Cache-Control"]; cached != "no-cache" {
		t.Errorf("app.js without its hash is cached: %s", cached)
	}
	for _, name := range []string{"app.js", "app.css"} {
		named := regexp.MustCompile(`"/ui/` + name + `\?([0-9a-f]{24})"`).FindStringSubmatch(get("/ui/").Body)
		if named == nil {
			t.Fatalf("the document does not name %s by its content", name)
		}
		file := d.Serve(t.Context(), &httpapi.Request{Method: "GET", Path: "/ui/" + name, RawQuery: named[1]})
		cached := file.Headers["Cache-Control"]
		if file.Status != 200 || !strings.Contains(cached, "immutable") {
			t.Errorf("%s: status %d, %s, want it cached for ever", name, file.Status, cached)
		}
	}
	again := d.Serve(t.Context(), &httpapi.Request{Method: "GET", Path: "/ui/app.js",
		Headers: map[string]string{"If-None-Match": script.Headers["ETag"]}})
	if again.Status != http.StatusNotModified || again.Body != "" {
		t.Errorf("app.js again: status %d with %d bytes", again.Status, len(again.Body))
	}
	for _, r := range []httpapi.Request{{Method: "GET", Path: "/ui/other"}, {Method: "POST", Path: "/ui/"},
		{Method: "GET", Path: "/ui/../v1/devices"}, {Method: "GET", Path: "/v1/devices"}} {
		if got := d.Serve(t.Context(), &r); got.Status != http.StatusNotFound {
			t.Errorf("%s %s: status %d", r.Method, r.Path, got.Status)
		}
	}
}

// deployed returns the pages of a stage with an issuer. Failures are logged nowhere.
func deployed(issuer *httptest.Server) *Deployed {
	return &Deployed{SignIn: config.SignIn{Issuer: issuer.URL}, Client: issuer.Client(), Now: time.Now,
		Log: slog.New(slog.DiscardHandler)}
}

// unzipped returns a response without its compression.
func unzipped(t *testing.T, r httpapi.Response) httpapi.Response {
	t.Helper()
	if r.Headers["Content-Encoding"] != "gzip" {
		return r
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(r.Body)))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	r.Body = string(body)
	return r
}

func TestDeployed_RefusesAnIssuerThatIsAnother(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]string{
		"issuer URL provided to client": `{"issuer":"https://other.example.com","authorization_endpoint":"https://a.example.com","token_endpoint":"https://a.example.com"}`,
		"states no https addresses":     `{"issuer":"ISSUER"}`,
		"states no https":               `{"issuer":"ISSUER","authorization_endpoint":"https://a.example.com","token_endpoint":"http://a.example.com"}`,
		"it states no https addresses":  `{"issuer":"ISSUER","authorization_endpoint":"https://a.example.com","token_endpoint":"https://a.example.com;script-src *"}`,
		"invalid character":             `<html>`,
	} {
		issuer := httptest.NewTLSServer(nil)
		issuer.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, strings.ReplaceAll(answer, "ISSUER", issuer.URL))
		})
		d, log := deployed(issuer), &strings.Builder{}
		d.Log = slog.New(slog.NewTextHandler(log, nil))
		got := d.Serve(t.Context(), &httpapi.Request{Method: "GET", Path: Path})
		if got.Status != http.StatusBadGateway || !strings.Contains(log.String(), want) ||
			strings.Contains(got.Body, want) {
			t.Errorf("%s: status %d %s, log %s; want %q in the log alone", answer, got.Status, got.Body, log,
				want)
		}
		issuer.Close()
	}
	for _, address := range []string{"https://127.0.0.1:1", "https://%zz"} {
		away := &Deployed{SignIn: config.SignIn{Issuer: address}, Client: http.DefaultClient, Now: time.Now,
			Log: slog.New(slog.DiscardHandler)}
		if got := away.Serve(t.Context(),
			&httpapi.Request{Method: "GET", Path: Path}); got.Status != http.StatusBadGateway {
			t.Errorf("%s: status %d", address, got.Status)
		}
	}
}
