// Package webui serves the pages of Tidemark: a few static files, which read the public HTTP API of the same
// origin. Their sources are in ui; dist is built from them and committed, so that building Go needs no Node.
package webui

import (
	"bytes"
	"embed"
	"net/http"
	"time"
)

// Path is where the pages are. They read PathStatus to learn whether they show a local stack,
// whose PathChanges notifies them of changes, and PathStack for what AWS knows of a deployed one.
const (
	Path        = "/ui/"
	PathStatus  = "/local/status"
	PathChanges = "/local/changes"
	PathStack   = "/local/stack"
)

//go:embed dist
var dist embed.FS

// documentName is the name of the file that loads the others.
const documentName = "index.html"

// files are the names of the files by their paths.
var files = map[string]string{
	"/ui": documentName, Path: documentName, Path + "app.js": "app.js", Path + "app.css": "app.css",
}

// headers returns the headers of each file. The policy lets the pages load their own files and read
// the API of their origin and of the origin others, nothing else.
func headers(others string) map[string]string {
	return map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; " +
			"img-src data:; connect-src 'self'" + others +
			"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
		"Cache-Control":          "no-cache",
	}
}

// Pages returns the handler of the files under Path. It serves any number of requests at a time.
func Pages() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := dist.ReadFile("dist/" + files[r.URL.Path])
		if err != nil {
			http.NotFound(w, r)
			return
		}
		for name, value := range headers("") {
			w.Header().Set(name, value)
		}
		http.ServeContent(w, r, files[r.URL.Path], time.Time{}, bytes.NewReader(content))
	})
}
