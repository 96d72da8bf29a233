package envelope

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
)

// Path is the request's path without the stage that a named stage puts before it.
func Path(r *events.APIGatewayV2HTTPRequest) string {
	if stage := r.RequestContext.Stage; stage != "" && stage != "$default" {
		if rest, ok := strings.CutPrefix(r.RawPath, "/"+stage); ok && strings.HasPrefix(rest, "/") {
			return rest
		}
	}
	return r.RawPath
}

// Header is a header field by its name, whatever its case; "" where there is none.
func Header(r *events.APIGatewayV2HTTPRequest, name string) string {
	for n, v := range r.Headers {
		if strings.EqualFold(n, name) {
			return v
		}
	}
	return ""
}

// bodyForm reads a body of one content type: its observations, and whether the
// answer is a list.
type bodyForm func(body []byte, limit int) ([]ingest.Observation, bool, error)

func lines(body []byte, limit int) ([]ingest.Observation, bool, error) {
	observations, err := ingest.DecodeLines(body, limit)
	return observations, true, err
}

// bodyForms are the content types taken in; none stated means JSON.
var bodyForms = map[string]bodyForm{
	"":                     ingest.DecodeBody,
	"application/json":     ingest.DecodeBody,
	"application/x-ndjson": lines,
}

// Observations reads a request's body: an object, an array of them (then many is
// true), or NDJSON (many too), plain or gzip, as text or in base64. A part that cannot
// be read is an Observation with a Flaw; what spoils the whole is a Problem, and then
// nothing was taken in.
func Observations(r *events.APIGatewayV2HTTPRequest, limits config.Limits) (observations []ingest.Observation, many bool, problem *Problem) {
	mediaType, _, err := mime.ParseMediaType(Header(r, "Content-Type"))
	if err != nil && Header(r, "Content-Type") == "" {
		mediaType, err = "", nil
	}
	form, ok := bodyForms[mediaType]
	if err != nil || !ok {
		return nil, false, ProblemMediaType.New("the body is %q: send Content-Type application/json for an object or an array, application/x-ndjson for one object a line", clip(Header(r, "Content-Type")))
	}
	body, problem := Body(r, limits)
	if problem != nil {
		return nil, false, problem
	}
	observations, many, err = form(body, limits.Observations)
	switch {
	case errors.Is(err, ingest.ErrTooMany):
		return nil, false, ProblemTooLarge.New("%v; nothing was stored", err)
	case err != nil:
		return nil, false, ProblemBody.New("%v; nothing was stored", err)
	}
	return observations, many, nil
}

// Body is the body's bytes, out of base64 and gzip, within the limits.
func Body(r *events.APIGatewayV2HTTPRequest, limits config.Limits) ([]byte, *Problem) {
	body := []byte(r.Body)
	if r.IsBase64Encoded {
		decoded, err := base64.StdEncoding.DecodeString(r.Body)
		if err != nil {
			return nil, ProblemBody.New("the body is said to be base64 and is not: %v", err)
		}
		body = decoded
	}
	if len(body) > limits.Body {
		return nil, ProblemTooLarge.New("the body is %d bytes: at most %d; send it in several requests, or compressed (Content-Encoding: gzip)", len(body), limits.Body)
	}
	switch encoding := strings.ToLower(strings.TrimSpace(Header(r, "Content-Encoding"))); encoding {
	case "", "identity":
		return body, nil
	case "gzip":
		return unzip(body, limits.Decompressed)
	default:
		return nil, ProblemMediaType.New("the body is encoded as %q: send it plain, or as gzip", clip(encoding)).With("Accept-Encoding", "gzip")
	}
}

// unzip reads no more than limit, however much the body would swell to.
func unzip(body []byte, limit int) ([]byte, *Problem) {
	plain, err := gunzip(body, limit)
	switch {
	case err != nil:
		return nil, ProblemBody.New("the body is said to be gzip and cannot be unpacked: %v", err)
	case len(plain) > limit:
		return nil, ProblemTooLarge.New("the body is more than %d bytes once unpacked: send it in several requests", limit)
	}
	return plain, nil
}

func gunzip(body []byte, limit int) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, int64(limit)+1))
}

// clip keeps a problem's detail short whatever was sent.
func clip(s string) string {
	if len(s) > 64 {
		s = s[:64] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
