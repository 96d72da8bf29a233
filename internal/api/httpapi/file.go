package httpapi

import (
	"maps"
	"net/http"
)

// File is a file of a public route. It is compressed once, and served compressed: every browser accepts
// that, and a caller without the header would be sent several times as much. It is safe for concurrent use.
type File struct{ body, tag string }

// NewFile returns the File of a content that is smaller than MaxResponse.
func NewFile(content []byte) *File {
	return &File{body: compressed(content), tag: entityTag(content, nil)}
}

// Tag returns a text that changes with the content.
func (f *File) Tag() string { return f.tag }

// Serve returns the response to a request of the file, with an entity tag: a 304 if the client has the
// content.
func (f *File) Serve(r *Request, headers map[string]string) Response {
	all := maps.Clone(headers)
	all["ETag"] = `"` + f.tag + gzipTagSuffix + `"`
	if tagMatches(r.Header("If-None-Match"), f.tag+gzipTagSuffix) {
		delete(all, "Content-Type")
		return Response{Status: http.StatusNotModified, Headers: all}
	}
	all["Content-Encoding"] = "gzip"
	return Response{Status: http.StatusOK, Headers: all, Body: f.body, Base64: true}
}
