package dynamo_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// testEvents returns n events of one series.
func testEvents(n int) (events []model.Event) {
	for i := range n {
		attrs := model.Attrs{{Name: "location", Value: model.TextValue(fmt.Sprintf("hall %d/\"ä\"", i))},
			{Name: "temperature", Value: model.NumberValue(model.NewDecimal(int64(i)))}}
		events = append(events,
			model.Event{Series: series, Order: model.Order{At: noon + model.Time(i)}, Attrs: attrs,
				Hash: model.HashAttrs(attrs), ArrivedAt: noon, ExpiresAt: 1779285601})
	}
	return events
}

// newPage returns the body of a response with the items of events, and other items.
func newPage(events []model.Event, others ...string) string {
	list := slices.Clone(others)
	for i := range events {
		var attributes []string
		for name, v := range item.FromEvent(&events[i]) {
			switch v.Type {
			case item.S:
				attributes = append(attributes, fmt.Sprintf(`%q:{"S":%q}`, name, v.S))
			case item.N:
				attributes = append(attributes, fmt.Sprintf(`%q:{"N":%q}`, name, v.S))
			case item.B:
				attributes = append(attributes, fmt.Sprintf(`%q:{"B":%q}`, name, base64.StdEncoding.EncodeToString(v.B)))
			}
		}
		list = append(list, "{"+strings.Join(attributes, ",")+"}")
	}
	return `{"Count":3,"Items":[` + strings.Join(list, ",") +
		`],"ScannedCount":3,"ConsumedCapacity":{"TableName":"tidemark","CapacityUnits":2.5},` +
		`"LastEvaluatedKey":{"pk":{"S":"DEVICE#d"},"sk":{"S":"EVENT#x"}}}`
}

func TestEachEvent_PassesEachStoredEventInOrder(t *testing.T) {
	want := testEvents(20)
	var capacity dynamo.Capacity
	table := respondsWith(200,
		newPage(want, `{"pk":{"S":"DEVICE#d"},"sk":{"S":"METADATA"}}`)).table(dynamo.WithCapacity(&capacity))
	for range 3 { // buffers of one page are reused for the next
		var got []model.Event
		next, err := table.EachEvent(t.Context(), storage.Range{Series: series, To: noon + 100},
			func(e *model.Event) {
				kept := *e
				kept.Attrs = slices.Clone(e.Attrs)
				got = append(got, kept)
			})
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b model.Decimal) bool { return a == b })); err != nil ||
			next != "EVENT#x" || diff != "" {
			t.Fatalf("next %q, %v, events (-want +got):\n%s", next, err, diff)
		}
	}
	if read, _ := capacity.Units(); read != 7.5 {
		t.Errorf("%v read units, want three times 2.5", read)
	}
}

// The memory of fields is reused from event to event, so that it does not grow with the page.
func TestEachEvent_ReusesTheMemoryOfFields(t *testing.T) {
	table := respondsWith(200, newPage(testEvents(200))).table()
	used := map[*model.Attr]bool{}
	if _, err := table.EachEvent(t.Context(), storage.Range{Series: series, To: noon + 1000},
		func(e *model.Event) { used[&e.Attrs[0]] = true }); err != nil || len(used) != 1 {
		t.Errorf("%d places for the fields of 200 events, %v; want one", len(used), err)
	}
}

func TestEachEvent_AMalformedResponseIsAnErrorBeforeAnyEvent(t *testing.T) {
	for _, body := range []string{``, `null`, `[]`, `{"Items":{}}`, `{"Items":[7]}`, `{"Items":[`,
		`{"Items":[{"pk":{"S":7}}]}`, `{} x`, `{"ConsumedCapacity":7}`} {
		table := respondsWith(200, body).table()
		if _, err := table.EachEvent(t.Context(), storage.Range{Series: series, To: noon},
			func(*model.Event) {}); err == nil {
			t.Errorf("%q is accepted as a page", body)
		}
	}
	for _, body := range []string{`{}`,
		`{"Items":null,"LastEvaluatedKey":null,"ConsumedCapacity":null,"Count":0}`, ` { "Items" : [ ] } `} {
		table := respondsWith(200, body).table()
		next, err := table.EachEvent(t.Context(), storage.Range{Series: series, To: noon}, func(*model.Event) {
			t.Error("an event of an empty page")
		})
		if err != nil || next != "" {
			t.Errorf("%q: next %q, %v; want an empty page", body, next, err)
		}
	}
}

// truncatedBody is a body that ends early.
type truncatedBody struct{ io.Reader }

func (f truncatedBody) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestEachEvent_PassesNoEventOfAResponseThatIsRetried(t *testing.T) {
	body := newPage(testEvents(3))
	broken := map[string]func() *http.Response{
		"truncated": func() *http.Response {
			r := response(200, body)
			r.Body = io.NopCloser(truncatedBody{strings.NewReader(body[:len(body)/2])})
			return r
		},
		"with another checksum": func() *http.Response {
			r := response(200, body)
			r.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))+1))
			return r
		},
		"a server error": func() *http.Response { return response(500, exception("InternalServerError")) },
	}
	for name, first := range broken {
		s := &fakeServer{respond: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 0 {
				return first(), nil
			}
			r := response(200, body)
			r.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
			return r, nil
		}}
		n := 0
		_, err := s.table().EachEvent(t.Context(), storage.Range{Series: series, To: noon + 9},
			func(*model.Event) { n++ })
		if err == nil && n != 3 || err != nil && n != 0 {
			t.Errorf("%s: %d events after %d requests, %v; want 3, or none and an error", name, n, len(s.requests),
				err)
		}
	}
}
