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

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// page is a page of items as the service wrote it, read without the maps of interfaces
// that the SDK makes of it, which take most of the time of a fold. Requests are the
// SDK's as ever: only the bytes of a good answer are taken from its hands.
type page struct {
	body    []byte
	scanner item.Scanner
	event   model.Event
	last    keys.Key // where the next page begins; zero after the last
	units   float64  // read units consumed
}

// pages keep their room from page to page.
var pages = sync.Pool{New: func() any { return new(page) }}

// take is an option of one request: it has its good answer kept as bytes, and an empty
// one decoded in its place.
func (p *page) take(o *dynamodb.Options) {
	o.DisableValidateResponseChecksum = true // see checksum
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Deserialize.Insert(taker{p}, "OperationDeserializer", middleware.After)
	})
}

// taker is the middleware of take. It stands between transport and decoder, so that
// the SDK's checks of the body are done, and a failure is still the SDK's to tell.
type taker struct{ page *page }

func (taker) ID() string { return "TidemarkPage" }

func (t taker) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
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
		err = checksum(response.Header, t.page.body)
	}
	if err != nil {
		return out, metadata, &smithy.DeserializationError{Err: fmt.Errorf("read the response: %w", err)}
	}
	response.Body = io.NopCloser(strings.NewReader("{}"))
	return out, metadata, nil
}

// checksum compares the body with the checksum that came with it. The SDK would only log
// where they differ.
func checksum(h http.Header, body []byte) error {
	sent := h.Get("X-Amz-Crc32")
	if got := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10); sent != "" && sent != got {
		return fmt.Errorf("its checksum is %s, %s was sent", got, sent)
	}
	return nil
}

// readAll is io.ReadAll into room that is there already.
func readAll(room []byte, from io.Reader, expected int64) ([]byte, error) {
	b := bytes.NewBuffer(room)
	if expected > 0 {
		b.Grow(int(min(expected, 2<<20)) + bytes.MinRead)
	}
	_, err := b.ReadFrom(from)
	return b.Bytes(), err
}

var errPage = errors.New("the answer is not a page of items")

// each calls do with every event of the page, in its order; an item whose key is not
// an event's is left out. An event is good during the call.
func (p *page) each(do func(*model.Event)) error {
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
			if at == jsonscan.Broken || !jsonscan.End(b, at) {
				return errPage
			}
			return nil
		}
		name, at := jsonscan.Name(b, at)
		if at == jsonscan.Broken {
			return errPage
		}
		var err error
		if i, err = p.member(string(name.Bytes), b, at, do); err != nil || i == jsonscan.Broken {
			return errors.Join(errPage, err)
		}
	}
}

func (p *page) member(name string, b []byte, i int, do func(*model.Event)) (end int, err error) {
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

func (p *page) items(b []byte, i int, do func(*model.Event)) (end int, err error) {
	if !jsonscan.Is(b, i, '[') {
		return jsonscan.Broken, nil
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
		case i == jsonscan.Broken || errors.Is(err, item.ErrForm):
			return jsonscan.Broken, err
		case err == nil:
			do(&p.event)
		}
	}
}

// consumed reads the capacity that the request took in all.
func (p *page) consumed(b []byte, i int) (end int) {
	if !jsonscan.Is(b, i, '{') {
		return jsonscan.Broken
	}
	i++
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, '}')
		if !more {
			return at
		}
		name, at := jsonscan.Name(b, at)
		if at == jsonscan.Broken {
			return at
		}
		if i = jsonscan.Skip(b, at); i == jsonscan.Broken {
			return i
		}
		if string(name.Bytes) == "CapacityUnits" {
			p.units, _ = strconv.ParseFloat(string(b[at:i]), 64)
		}
	}
}
