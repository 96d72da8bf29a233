package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// service responds to requests of the SDK in this process, after a latency. A measurement
// includes the SDK's work, but none of a server.
type service struct {
	latency time.Duration
	events  []byte // the response to a Query of events

	mu     sync.Mutex // guards queued
	queued map[keys.Key]storage.Invalidation
}

// queue returns the response to a Query of a queue shard.
func (s *service) queue(request []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for k, i := range s.queued {
		if bytes.Contains(request, []byte(strconv.Quote(k.PK))) {
			it := item.FromInvalidation(i)
			list = append(list, attributesJSON(it, slices.Sorted(maps.Keys(it)), fixed))
		}
	}
	return fmt.Appendf(nil, `{"Count":%d,"Items":[%s],"ScannedCount":%d}`, len(list), strings.Join(list, ","),
		len(list))
}

func (s *service) Do(r *http.Request) (*http.Response, error) {
	if s.latency > 0 {
		time.Sleep(s.latency)
	}
	body := []byte("{}")
	switch operation := r.Header.Get("X-Amz-Target"); {
	case strings.HasSuffix(operation, ".Query"):
		request, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		switch {
		case bytes.Contains(request, []byte(tablekeys.ClassInvalidation)):
			body = s.queue(request)
		case bytes.Contains(request, []byte("EVENT#")):
			body = s.events
		default:
			body = []byte(`{"Items":[],"Count":0}`)
		}
	case strings.HasSuffix(operation, ".BatchGetItem"):
		body = []byte(`{"Responses":{"tidemark":[]},"UnprocessedKeys":{}}`)
	}
	return &http.Response{StatusCode: 200, ContentLength: int64(len(body)),
		Body:   io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}}, nil
}

func (s *service) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{Region: "eu-central-1", HTTPClient: s,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		})})
}

// eventsPage returns the response to a Query that finds these events.
func eventsPage(events []model.Event) []byte {
	list := make([]string, len(events))
	for i := range events {
		it := item.FromEvent(&events[i])
		list[i] = attributesJSON(it, storedNames(it), fixed)
	}
	page := fmt.Sprintf(`{"ConsumedCapacity":{"CapacityUnits":%v,"TableName":"tidemark"},"Count":%d,"Items":[%s],"ScannedCount":%d}`,
		len(events)/20, len(events), strings.Join(list, ","), len(events))
	if !json.Valid([]byte(page)) {
		panic("the page is no JSON")
	}
	return []byte(page)
}
