package envelope

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

	"github.com/aws/aws-lambda-go/events"
)

// Freshness is how long an answer may be shown again without asking.
type Freshness time.Duration

// The freshnesses.
const (
	// Changing is what the next write changes: ask every time, if only whether it did.
	Changing Freshness = 0
	// Growing is what the next change of the table stream may add to: nothing newer is
	// seen sooner than its mapping hands over.
	Growing = Freshness(5 * time.Second)
	// Settled is what only a late event, a correction, a deletion or a purge changes.
	Settled = Freshness(time.Minute)
)

func (f Freshness) header() string {
	if f == Changing {
		return "private, no-cache"
	}
	return fmt.Sprintf("private, max-age=%d", int(time.Duration(f).Seconds()))
}

// What an answer is at most, as Lambda hands it back (6 MB, with room for the rest of
// the response), and from where on it is worth compressing.
const (
	MaxAnswer = 5 << 20
	leastZip  = 1 << 10
)

// ErrAnswerSize is an answer that no response holds.
var ErrAnswerSize = errors.New("the answer is too large")

// Paged is an answer that goes on.
type Paged interface {
	// Following is the cursor of the next page, nil on the last.
	Following() *string
}

// Versioned is an answer of a version that a change may be conditional on.
type Versioned interface {
	// ProfileVersion is that version, 0 where there is none.
	ProfileVersion() int64
}

// Respond answers a read: in the form that the request accepts, compressed where it
// takes that, with a link to the next page, and with an entity tag that is a hash of
// what is sent. A request that has the same already (If-None-Match) is told so and sent
// nothing: that spares the transfer, not the read, since what is stored has no version
// of its own to ask for. The error is a Problem, or wraps ErrAnswerSize.
func Respond(r *events.APIGatewayV2HTTPRequest, answer any, fresh Freshness) (events.APIGatewayV2HTTPResponse, error) {
	var none events.APIGatewayV2HTTPResponse
	form, problem := formOf(Header(r, "Accept"), answer)
	if problem != nil {
		return none, problem
	}
	body, err := written(form, answer)
	if err != nil {
		return none, err
	}
	response := events.APIGatewayV2HTTPResponse{StatusCode: http.StatusOK, Headers: map[string]string{
		"Content-Type":  form.Type,
		"Cache-Control": fresh.header(),
		"Vary":          "Accept, Accept-Encoding",
	}}
	if paged, ok := answer.(Paged); ok && paged.Following() != nil {
		response.Headers["Link"] = nextLink(r.RawQueryString, *paged.Following())
	}
	tag := tagOf(body, answer)
	zip := len(body) >= leastZip && takesGzip(Header(r, "Accept-Encoding"))
	if zip {
		tag += zippedTag
	}
	response.Headers["ETag"] = `"` + tag + `"`
	if has(Header(r, "If-None-Match"), tag) {
		response.StatusCode = http.StatusNotModified
		delete(response.Headers, "Content-Type")
		return response, nil
	}
	return filled(response, body, zip)
}

// filled is a response with its body, within what Lambda hands back.
func filled(response events.APIGatewayV2HTTPResponse, body []byte, zip bool) (events.APIGatewayV2HTTPResponse, error) {
	response.Body = string(body)
	if zip {
		response.Body, response.IsBase64Encoded = zipped(body), true
		response.Headers["Content-Encoding"] = "gzip"
	}
	if len(response.Body) > MaxAnswer {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("%w: it would be %d bytes, at most %d: ask with a lower limit, or take gzip", ErrAnswerSize, len(response.Body), MaxAnswer)
	}
	return response, nil
}

// nextLink is the request again, with the cursor of the next page: for the forms that
// have no place for one, and for clients that follow links.
func nextLink(rawQuery, cursor string) string {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		query = url.Values{}
	}
	query.Set("cursor", cursor)
	return "<?" + query.Encode() + `>; rel="next"`
}

// zippedTag ends the tag of a compressed body: strong tags tell bytes apart.
const zippedTag = "-gzip"

// tagOf is a strong tag: a hash of the body, the version that a change may be
// conditional on before it.
func tagOf(body []byte, answer any) string {
	sum := sha256.Sum256(body)
	tag := hex.EncodeToString(sum[:12])
	if v, ok := answer.(Versioned); ok && v.ProfileVersion() > 0 {
		tag = fmt.Sprintf("%d-%s", v.ProfileVersion(), tag)
	}
	return tag
}

// has reports whether If-None-Match names the tag. The comparison is the weak one, as
// it is for this header, so that a tag of either encoding stands for both.
func has(ifNoneMatch, tag string) bool {
	for _, given := range strings.Split(ifNoneMatch, ",") {
		given = strings.TrimSpace(given)
		if given == "*" {
			return true
		}
		given = strings.Trim(strings.TrimPrefix(given, "W/"), `"`)
		if strings.TrimSuffix(given, zippedTag) == strings.TrimSuffix(tag, zippedTag) {
			return true
		}
	}
	return false
}

// takesGzip reports whether an Accept-Encoding header welcomes gzip.
func takesGzip(accept string) bool {
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

// zipped is body compressed, in base64 as API Gateway wants bytes.
func zipped(body []byte) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // to memory: cannot fail
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes())
}
