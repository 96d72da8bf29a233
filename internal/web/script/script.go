// Package script serves the script of websites, which sends their events to the collector. Its source is in
// src; "make script" builds it to dist, which is committed, so that a build of the functions needs no Node.
package script

import (
	"context"
	"embed"
	"fmt"
	"html"
	"net/http"
	"path"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// PathPrefix begins the path of a script; its name follows.
const PathPrefix = "/script/"

// maxAge is how long browsers keep a script, in seconds: a day.
const maxAge = "86400"

//go:embed dist
var dist embed.FS

// Serve returns the script that the path names. Pages of any website may load it.
func Serve(_ context.Context, r *httpapi.Request) httpapi.Response {
	name := strings.TrimPrefix(r.Path, PathPrefix)
	text, err := dist.ReadFile(path.Join("dist", path.Base(name)))
	switch {
	case r.Method != http.MethodGet:
		return httpapi.ProblemMethod.New("scripts are read by GET").With("Allow", "GET").Response()
	case err != nil || name != path.Base(name):
		return httpapi.ProblemNotFound.New("want %stidemark.js, or all.js, outbound.js, downloads.js or forms.js",
			PathPrefix).Response()
	}
	return httpapi.Response{Status: http.StatusOK, Body: string(text), Headers: map[string]string{
		"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "public, max-age=" + maxAge,
		"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Resource-Policy": "cross-origin",
	}}
}

// Snippet returns the HTML with which the pages of a site load the script. api is the URL of the HTTP API.
func Snippet(api, siteKey string) string {
	return fmt.Sprintf(`<script defer src="%s%stidemark.js" data-site="%s"></script>`,
		html.EscapeString(strings.TrimSuffix(api, "/")), PathPrefix, html.EscapeString(siteKey))
}
