package stack

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const (
	oldText = "the-old-text-of-a-secret"
	newText = "the-new-text-of-a-secret"
)

// secretARNs are the secrets of a stage, by the environment variable that names them.
var secretARNs = map[string]string{config.EnvSiteSecret: "arn:site", config.EnvOriginSecret: "arn:origin",
	config.EnvCursorSecret: "arn:cursor"}

// rotated is a stage whose functions run as deployed, with secrets in Secrets Manager.
type rotated struct {
	*testing.T
	*fakeAWS
	stack     *Stack
	config    string
	binaries  map[string]string
	functions map[string]*Function
	front     *Front
	clock     clock.Clock // of the functions
}

func newRotated(t *testing.T) *rotated {
	t.Helper()
	path := filepath.Join(t.TempDir(), configfile.FileName)
	if err := os.WriteFile(path,
		[]byte("collector: {trust: cloudfront, regions: true}\nmapping: {window: 0s}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &rotated{
		T: t, config: path, functions: map[string]*Function{}, clock: clock.At(filepath.Join(t.TempDir(), "clock")),
	}
	conf, err := configfile.Load(path, domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	r.stack = startStack(t, func(o *Options) { o.Config, o.ConfigPath = conf, path })
	r.fakeAWS = newFakeAWS(t, r.stack.Endpoint)
	if r.binaries, err = FindBinaries(t.Context(), "", ingest, query, authorize); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *rotated) stop() {
	if r.front != nil {
		r.front.Stop(context.Background())
	}
	for _, f := range r.functions {
		f.Stop()
	}
}

// secret stores the text in each secret. The processes live on, as in AWS, where a deployment of the same
// code starts none: they read it when the texts that they have are too old.
func (r *rotated) secret(text string) {
	r.Helper()
	for _, arn := range secretARNs {
		r.put(arn, text)
	}
	if r.front == nil {
		r.start()
	}
	if err := r.clock.Move(secret.FreshFor); err != nil {
		r.Fatal(err)
	}
}

// start starts the functions and the API.
func (r *rotated) start() {
	r.Helper()
	for name, binary := range r.binaries {
		env := append(r.environment(r.stack.Table, r.config), clock.Env+"="+r.clock.Path())
		for variable, arn := range secretARNs {
			env = append(env, variable+"="+arn)
		}
		f, err := StartFunction(r.Context(),
			FunctionOptions{Name: "tidemark-prod-" + name, Binary: binary, Env: env})
		if err != nil {
			r.Fatal(err)
		}
		r.functions[name] = f
	}
	var err error
	if r.front, err = StartFront("0", "", r.clock, []Route{
		{Method: http.MethodPost, Path: access.SiteKeyPathPrefix + "{" + access.SiteKeyPathParam + "}", AnyOrigin: true, Authorizer: r.functions[authorize], To: r.functions[ingest]},
		{Method: http.MethodPost, Path: "/api/v2/write", Authorizer: r.functions[authorize], To: r.functions[ingest]},
		{Method: http.MethodGet, Path: access.LinkPathPrefix + "/{proxy+}", Authorizer: r.functions[authorize], To: r.functions[query]},
		{Method: http.MethodGet, Path: "/v1/{proxy+}", To: r.functions[query]},
	}, http.NotFoundHandler()); err != nil {
		r.Fatal(err)
	}
}

// status sends a request with headers and returns the status.
func (r *rotated) status(method, path, body string, headers ...string) int {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), method, r.front.URL+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// view sends a page view with a site key of one secret, through a distribution with another.
func (r *rotated) view(key, origin string) int {
	r.Helper()
	path := access.SiteKeyPathPrefix + access.NewSiteKey([]byte(key), "my-site")
	return r.status(http.MethodPost, path, `{"url":"/blog"}`,
		collector.OriginHeader, origin, "CloudFront-Viewer-Country", "NO", "CloudFront-Viewer-Country-Region", "03",
		"CloudFront-Viewer-Address", "192.0.2.1:443")
}

// regions returns how many views and visits of the site have a region.
func (r *rotated) regions() (n map[string]int64) {
	r.Helper()
	n = map[string]int64{}
	for _, kind := range []string{"pageviews", "sessions"} {
		var top struct {
			Values []struct {
				Value string
				Count int64
			}
		}
		get(r.T, r.front.URL+"/v1/sites/my-site/"+kind+"/top/region", &top)
		for _, v := range top.Values {
			n[kind+" "+v.Value] = v.Count
		}
	}
	return n
}

// countries returns how many views of the site have a country. As many have a region.
func (r *rotated) countries() (n int) {
	r.Helper()
	resp, err := http.Get(r.front.URL + "/v1/sites/my-site/pageviews?limit=1000")
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		r.Fatalf("%s: %s, %v", resp.Status, text, err)
	}
	n = strings.Count(string(text), `"country":"NO"`)
	if with := strings.Count(string(text), `"region":"NO-03"`); with != n {
		r.Errorf("%d views have a country and %d a region", n, with)
	}
	return n
}

func (r *rotated) link(secret string) int {
	r.Helper()
	token := access.NewLink([]byte(secret), access.Link{Subject: "sites/my-site",
		Until: r.clock.Now().Add(time.Hour), Events: true})
	return r.status(http.MethodGet, access.LinkPathPrefix+"/v1/sites/my-site/pageviews", "", "Authorization",
		"Bearer "+token)
}

// cursor returns the cursor of the second page of views.
func (r *rotated) cursor() string {
	r.Helper()
	var page struct{ Next string }
	get(r.T, r.front.URL+"/v1/sites/my-site/pageviews?limit=1", &page)
	if page.Next == "" {
		r.Fatal("there is no second page")
	}
	return page.Next
}

func (r *rotated) resume(cursor string) int {
	r.Helper()
	return r.status(http.MethodGet, "/v1/sites/my-site/pageviews?limit=1&cursor="+cursor, "")
}

// The procedures of docs/run/SECURITY.md, with the functions that deploy and without a restart: they read
// each secret from Secrets Manager again.
func TestRotation_AcceptsOldAndNewTextsWhileBothAreStored(t *testing.T) {
	r := newRotated(t)
	for _, c := range []struct {
		name   string
		rotate func(*rotated)
	}{{"site keys, links and the origin", rotateTexts}, {"cursors", rotateCursors},
		{"a write key", rotateWriteKey}} {
		t.Run(c.name, func(t *testing.T) {
			r.T = t
			c.rotate(r)
		})
	}
}

func rotateTexts(r *rotated) {
	for _, step := range []struct {
		secret   string
		old, new bool // accepted
	}{
		{oldText, true, false},
		{newText + " " + oldText, true, true},
		{newText, false, true},
	} {
		r.secret(step.secret)
		for text, accepted := range map[string]bool{oldText: step.old, newText: step.new} {
			views, links := map[bool]int{true: 204, false: 403}[accepted],
				map[bool]int{true: 200, false: 403}[accepted]
			if got := r.view(text, text); got != views {
				r.Errorf("secret %q: a view with a key of %q has status %d, want %d", step.secret, text, got, views)
			}
			if got := r.link(text); got != links {
				r.Errorf("secret %q: a link of %q has status %d, want %d", step.secret, text, got, links)
			}
			before := r.countries()
			signs := strings.Fields(step.secret)[0]
			if got := r.view(signs, text); got != 204 {
				r.Fatalf("secret %q: a view has status %d", step.secret, got)
			}
			if counted := r.countries() - before; counted != map[bool]int{true: 1, false: 0}[accepted] {
				r.Errorf("secret %q: %d views through an origin that sends %q have a country", step.secret, counted, text)
			}
		}
	}
	views := r.countries()
	if got := r.regions(); views == 0 || len(got) != 2 || got["pageviews NO-03"] != int64(views) ||
		got["sessions NO-03"] < 1 {
		r.Errorf("regions %v, want the regions of %d views and of their visits", got, views)
	}
}

func rotateCursors(r *rotated) {
	r.secret(oldText)
	for range 3 {
		r.view(oldText, oldText)
	}
	old := r.cursor()
	if got := r.resume(old); got != 200 {
		r.Fatalf("a cursor has status %d", got)
	}
	r.secret(newText + " " + oldText)
	if got := r.resume(old); got != 200 {
		r.Errorf("with both texts, the old cursor has status %d, want 200", got)
	}
	r.secret(newText)
	if got := r.resume(old); got != 400 {
		r.Errorf("with the new text only, the old cursor has status %d, want 400", got)
	}
	if got := r.resume(r.cursor()); got != 200 {
		r.Errorf("a new cursor has status %d, want 200", got)
	}
}

func rotateWriteKey(r *rotated) {
	client, err := dynamo.NewClient(r.Context(), Region, r.stack.Endpoint)
	if err != nil {
		r.Fatal(err)
	}
	keys := &access.APIKeys{
		Store: dynamo.New(client, r.stack.Table), Rand: rand.Reader,
		Now: func() model.Time { return model.NewTime(r.clock.Now()) },
	}
	old, err := keys.Create(r.Context(), storage.APIKey{Name: "telegraf"})
	if err != nil {
		r.Fatal(err)
	}
	write := func(token string) int {
		return r.status(http.MethodPost, "/api/v2/write?bucket=b&precision=s",
			fmt.Sprintf("cpu,host=web-1 usage=1 %d\n", time.Now().Unix()), "Authorization", "Token "+token)
	}
	if got := write(old); got != 204 {
		r.Fatalf("the first token has status %d", got)
	}
	all, err := keys.List(r.Context())
	if err != nil || len(all) != 1 {
		r.Fatalf("%d keys, %v", len(all), err)
	}
	const overlap = 3 * time.Second
	began := time.Now()
	fresh, err := keys.Rotate(r.Context(), all[0].ID, overlap)
	if err != nil {
		r.Fatal(err)
	}
	if a, b := write(old), write(fresh); a != 204 || b != 204 {
		r.Errorf("during the overlap: %d and %d, want 204 for both", a, b)
	}
	time.Sleep(time.Until(began.Add(overlap + 100*time.Millisecond)))
	if a, b := write(old), write(fresh); a != 403 || b != 204 {
		r.Errorf("after the overlap: %d and %d, want 403 and 204", a, b)
	}
}
