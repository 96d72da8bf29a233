package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
)

// bodyDecoder decodes a body of one content type: its observations, and whether the response is a list.
type bodyDecoder func(body []byte, limit int) ([]ingest.Observation, bool, error)

func decodeLines(body []byte, limit int) ([]ingest.Observation, bool, error) {
	observations, err := ingest.DecodeLines(body, limit)
	return observations, true, err
}

// bodyDecoders has the accepted content types. The default is JSON.
var bodyDecoders = map[string]bodyDecoder{
	"":                     ingest.DecodeBody,
	"application/json":     ingest.DecodeBody,
	"application/x-ndjson": decodeLines,
}

// Observations decodes the body: one JSON object, an array of objects or NDJSON. many is
// true for an array and NDJSON. An object that cannot be decoded is an observation with a
// DecodeError. The Problem is for the whole body: then no observation is returned.
func (r *Request) Observations(limits config.Limits) (observations []ingest.Observation, many bool,
	problem *Problem) {
	mediaType, _, err := mime.ParseMediaType(r.Header("Content-Type"))
	if err != nil && r.Header("Content-Type") == "" {
		mediaType, err = "", nil
	}
	decode, ok := bodyDecoders[mediaType]
	if err != nil || !ok {
		return nil, false, ProblemMediaType.New(
			"the content type is %q: send application/json for an object or an array, or "+
				"application/x-ndjson for one object per line; a form, as weather stations send it, "+
				"goes to /sources/NAME",
			clip(r.Header("Content-Type")))
	}
	body, problem := r.Bytes(limits)
	if problem != nil {
		return nil, false, problem
	}
	observations, many, err = decode(body, limits.Observations)
	switch {
	case errors.Is(err, ingest.ErrTooMany):
		return nil, false, ProblemTooLarge.New("%v; nothing was stored", err)
	case err != nil:
		return nil, false, ProblemBody.New("%v; nothing was stored", err)
	}
	return observations, many, nil
}

// Bytes returns the body, decoded from base64 and gzip. A body above a limit is a Problem.
func (r *Request) Bytes(limits config.Limits) ([]byte, *Problem) {
	body, problem := r.Sent(limits)
	if problem != nil {
		return nil, problem
	}
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header("Content-Encoding"))); encoding {
	case "", "identity":
		if bytes.HasPrefix(body, gzipMagic) { // no text and no message of a protocol begins so
			return nil, ProblemBody.New("the body is compressed by gzip, and the request does not say so: " +
				"send the header Content-Encoding: gzip; nothing was stored")
		}
		return body, nil
	case "gzip", "x-gzip": // one encoding, by RFC 9110, section 8.4.1.3
		return decompress(body, limits.Decompressed)
	default:
		problem := ProblemMediaType.New("the content encoding is %q: send the body uncompressed or as gzip",
			clip(encoding))
		return nil, problem.With("Accept-Encoding", "gzip")
	}
}

var gzipMagic = []byte("\x1f\x8b")

// Sent returns the body as it was sent, in its content encoding. A body above a limit is a Problem.
func (r *Request) Sent(limits config.Limits) ([]byte, *Problem) {
	body := []byte(r.Body)
	if r.Base64 {
		decoded, err := base64.StdEncoding.DecodeString(r.Body)
		if err != nil {
			return nil, ProblemBody.New("the body is not valid base64, as the request says: %v", err)
		}
		body = decoded
	}
	if len(body) > limits.Body {
		return nil, ProblemTooLarge.New(
			"the body has %d bytes, the limit is %d: send several requests, or compress the body "+
				"(Content-Encoding: gzip)", len(body), limits.Body)
	}
	return body, nil
}

// decompress stops reading above the limit, so that a small body cannot fill the memory.
func decompress(body []byte, limit int) ([]byte, *Problem) {
	plain, err := gunzip(body, limit)
	switch {
	case err != nil:
		return nil, ProblemBody.New("the body is not valid gzip, as the request says: %v", err)
	case len(plain) > limit:
		return nil, ProblemTooLarge.New("the decompressed body has more than %d bytes: send several requests",
			limit)
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

// clip shortens text from the request for a problem's detail.
func clip(s string) string {
	if len(s) > 64 {
		s = s[:64] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
