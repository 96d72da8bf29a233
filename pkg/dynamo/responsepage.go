package dynamo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// responsePage is the body of a Query response, decoded directly. The SDK's decoder
// builds maps of interfaces, which take most of the time of a fold. The SDK still sends
// the requests and handles failures; only the body of a successful response bypasses it.
type responsePage struct {
	body    []byte
	scanner item.Scanner
	event   model.Event
	last    keys.Key // position of the next page; zero after the last page
	units   float64  // consumed read units
}

// pagePool keeps the buffers of pages for reuse.
var pagePool = sync.Pool{New: func() any { return new(responsePage) }}

// captureBody is an option of one request. It stores the body of a successful response
// and gives the SDK's decoder an empty one.
func (p *responsePage) captureBody(o *dynamodb.Options) {
	o.DisableValidateResponseChecksum = true // verified by verifyChecksum
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Deserialize.Insert(bodyCapture{p}, "OperationDeserializer", middleware.After)
	})
}

// bodyCapture is the middleware of captureBody. It runs between transport and decoder, so
// that the SDK still handles failed responses.
type bodyCapture struct{ page *responsePage }

func (bodyCapture) ID() string { return "TidemarkPage" }

func (t bodyCapture) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput,
	next middleware.DeserializeHandler) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	response, ok := out.RawResponse.(*smithyhttp.Response)
	if err != nil || !ok || response.StatusCode < 200 || response.StatusCode >= 300 {
		return out, metadata, err
	}
	t.page.body, err = readAll(t.page.body[:0], response.Body, response.ContentLength)
	_ = response.Body.Close()
	if err == nil {
		err = verifyChecksum(response.Header, t.page.body)
	}
	if err != nil {
		return out, metadata, &smithy.DeserializationError{Err: fmt.Errorf("read the response: %w", err)}
	}
	response.Body = io.NopCloser(strings.NewReader("{}"))
	return out, metadata, nil
}

// verifyChecksum compares the body with the checksum in the header. The SDK would only log a difference.
func verifyChecksum(h http.Header, body []byte) error {
	sent := h.Get("X-Amz-Crc32")
	if got := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); sent != "" && sent != got {
		return fmt.Errorf("the checksum of the body is %s, want %s", got, sent)
	}
	return nil
}

// readAll is io.ReadAll into an existing buffer.
func readAll(buffer []byte, from io.Reader, expected int64) ([]byte, error) {
	b := bytes.NewBuffer(buffer)
	b.Grow(int(min(expected, 2<<20)) + bytes.MinRead) // expected is -1 if it is not known
	_, err := b.ReadFrom(from)
	return b.Bytes(), err
}

var errPage = errors.New("the response is not a page of items")

// each calls do with every event of the page, in order. It skips items whose key is not
// an event's. An event is valid only during the call.
func (p *responsePage) each(do func(*model.Event)) error {
	p.last, p.units = keys.Key{}, 0
	b := p.body
	i := jsonscan.Space(b, 0)
	if !jsonscan.Is(b, i, '{') {
		return errPage
	}
	i++
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, '}')
		if !more {
			if at == jsonscan.Invalid || !jsonscan.End(b, at) {
				return errPage
			}
			return nil
		}
		name, at := jsonscan.Name(b, at)
		if at == jsonscan.Invalid {
			return errPage
		}
		var err error
		if i, err = p.member(string(name.Bytes), b, at, do); err != nil || i == jsonscan.Invalid {
			return errors.Join(errPage, err)
		}
	}
}

func (p *responsePage) member(name string, b []byte, i int, do func(*model.Event)) (end int, err error) {
	switch {
	case jsonscan.Null(b, i):
	case name == "Items":
		return p.items(b, i, do)
	case name == "LastEvaluatedKey":
		p.last, end, err = p.scanner.Key(b, i)
		return end, err
	case name == "ConsumedCapacity":
		return p.consumed(b, i), nil
	}
	return jsonscan.Skip(b, i), nil
}

func (p *responsePage) items(b []byte, i int, do func(*model.Event)) (end int, err error) {
	if !jsonscan.Is(b, i, '[') {
		return jsonscan.Invalid, nil
	}
	i++
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, ']')
		if !more {
			return at, nil
		}
		p.scanner.Reset()
		i, err = p.scanner.Event(b, at, &p.event)
		switch {
		case i == jsonscan.Invalid || errors.Is(err, item.ErrForm):
			return jsonscan.Invalid, err
		case err == nil:
			do(&p.event)
		}
	}
}

// consumed reads the total consumed capacity.
func (p *responsePage) consumed(b []byte, i int) (end int) {
	if !jsonscan.Is(b, i, '{') {
		return jsonscan.Invalid
	}
	i++
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, '}')
		if !more {
			return at
		}
		name, at := jsonscan.Name(b, at)
		if at == jsonscan.Invalid {
			return at
		}
		if i = jsonscan.Skip(b, at); i == jsonscan.Invalid {
			return i
		}
		if string(name.Bytes) == "CapacityUnits" {
			p.units, _ = strconv.ParseFloat(string(b[at:i]), 64)
		}
	}
}
