// Package webui serves the pages of Tidemark: a few static files, which read the public HTTP API
// of the same origin. Their sources are in ui; dist is built from them and committed, so that
// building Go needs no Node.
package webui

import (
	"bytes"
	"embed"
	"io/fs"
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

// policy lets the pages load their own files and read the API of their origin, nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Pages returns the handler of the files under Path. It serves any number of requests at a time.
func Pages() http.Handler {
	mux := http.NewServeMux()
	for file, name := range map[string]string{Path + "{$}": "index.html", Path + "app.js": "app.js", Path + "app.css": "app.css"} {
		mux.HandleFunc("GET "+file, func(w http.ResponseWriter, r *http.Request) { serve(w, r, name) })
	}
	return mux
}

func serve(w http.ResponseWriter, r *http.Request, name string) {
	content, err := fs.ReadFile(dist, "dist/"+name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
