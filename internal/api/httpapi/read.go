package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/views"
)

// MaxAge is how long clients may use a cached response without a request.
type MaxAge time.Duration

// The maximum ages of responses.
const (
	// MaxAgeNone is for data that the next write changes. Clients must revalidate.
	MaxAgeNone MaxAge = 0
	// MaxAgeOpenBucket is for rollups of a bucket that has not ended. They change when the
	// table stream delivers the next batch.
	MaxAgeOpenBucket = MaxAge(5 * time.Second)
	// MaxAgeClosedBuckets is for rollups that only a late event, a correction, a deletion or a purge changes.
	MaxAgeClosedBuckets = MaxAge(time.Minute)
)

func (m MaxAge) header() string {
	if m == MaxAgeNone {
		return "private, no-cache"
	}
	return fmt.Sprintf("private, max-age=%d", int(time.Duration(m).Seconds()))
}

// MaxResponse is the maximum size of an encoded body in bytes. Lambda's limit is 6 MB for
// the complete response. Bodies below minCompress are not compressed.
const (
	MaxResponse = 5 << 20
	minCompress = 1 << 10
)

// ReadHeaders are the headers of a response to a read that clients decide by.
var ReadHeaders = []string{"ETag", "Link", "Retry-After", headerComplete, headerProcessed, headerSince,
	headerUnprocessed, headerMissing, headerWholeFrom}

// ErrResponseSize reports a body above MaxResponse.
var ErrResponseSize = errors.New("the response is too large")

// ReadResponse returns the response to a read: in a format and encoding that the request accepts, with a
// link to the next page, the bounds of a list that is not JSON, and an entity tag. The tag is a hash of the
// body, so a match with If-None-Match (status 304) saves the transfer but not the read. The error is a
// Problem, or wraps ErrResponseSize.
func ReadResponse(r *Request, result any, maxAge MaxAge) (Response, error) {
	var none Response
	format, problem := chooseFormat(r.Header("Accept"), result)
	if problem != nil {
		return none, problem
	}
	body, err := encode(format, result)
	if err != nil {
		return none, err
	}
	response := Response{Status: http.StatusOK, Headers: map[string]string{
		"Content-Type":  format.Type,
		"Cache-Control": maxAge.header(),
		"Vary":          "Accept, Accept-Encoding",
	}}
	if paged, ok := result.(views.Paged); ok && paged.NextCursor() != nil {
		response.Headers["Link"] = nextLink(r.RawQuery, *paged.NextCursor())
	}
	if bounded, ok := result.(views.Bounded); ok && format.Type != views.FormatJSON.Type {
		setBounds(response.Headers, bounded.Bounds())
	}
	return response.deliver(r, body, entityTag(body, result))
}

// deliver adds the body to a response, or makes it a 304 if the client has the body.
func (response Response) deliver(r *Request, body []byte, tag string) (Response, error) {
	zip := len(body) >= minCompress && acceptsGzip(r.Header("Accept-Encoding"))
	if zip {
		tag += gzipTagSuffix
	}
	response.Headers["ETag"] = `"` + tag + `"`
	if tagMatches(r.Header("If-None-Match"), tag) {
		response.Status = http.StatusNotModified
		delete(response.Headers, "Content-Type")
		return response, nil
	}
	return withBody(response, body, zip)
}

// withBody adds the body to a response, compressed if zip is true.
func withBody(response Response, body []byte, zip bool) (Response, error) {
	response.Body = string(body)
	if zip {
		response.Body, response.Base64 = compressed(body), true
		response.Headers["Content-Encoding"] = "gzip"
	}
	if len(response.Body) > MaxResponse {
		return Response{}, fmt.Errorf("%w: it has %d bytes, the maximum is %d: use a lower limit, or accept gzip",
			ErrResponseSize, len(response.Body), MaxResponse)
	}
	return response, nil
}

// nextLink returns a Link header to the same request with the cursor of the next page.
// CSV and NDJSON have no other place for the cursor.
func nextLink(rawQuery, cursor string) string {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		query = url.Values{}
	}
	query.Set("cursor", cursor)
	return "<?" + query.Encode() + `>; rel="next"`
}

// gzipTagSuffix ends the tag of a compressed body, since a strong tag identifies bytes.
const gzipTagSuffix = "-gzip"

// entityTag returns a strong tag: a hash of the uncompressed body, preceded by the version
// of a Versioned result.
func entityTag(body []byte, result any) string {
	sum := sha256.Sum256(body)
	tag := hex.EncodeToString(sum[:12])
	if v, ok := result.(views.Versioned); ok && v.VersionTag() != "" {
		tag = v.VersionTag() + "-" + tag
	}
	return tag
}

// tagMatches reports whether If-None-Match has the tag. RFC 9110 requires the weak
// comparison for this header; a tag matches with and without compression.
func tagMatches(ifNoneMatch, tag string) bool {
	for _, candidate := range strings.Split(ifNoneMatch, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" {
			return true
		}
		candidate = strings.Trim(strings.TrimPrefix(candidate, "W/"), `"`)
		if strings.TrimSuffix(candidate, gzipTagSuffix) == strings.TrimSuffix(tag, gzipTagSuffix) {
			return true
		}
	}
	return false
}

// acceptsGzip reports whether an Accept-Encoding header includes gzip.
func acceptsGzip(accept string) bool {
	weight := 0.0
	for _, part := range strings.Split(accept, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		_, q, _ := strings.Cut(strings.TrimSpace(params), "q=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip", "x-gzip":
			return quality(q) > 0
		case "*":
			weight = quality(q)
		}
	}
	return weight > 0
}

// compressed returns the body as gzip, in base64 as the gateways require for binary data.
func compressed(body []byte) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // a write to memory cannot fail
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes())
}
