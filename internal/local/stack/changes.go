package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// changes notifies open pages which subjects have changed, or are listed, as server-sent events, so that they
// read again at once. A page that is slow misses some, and reads after its interval. The zero
// value has no pages; it is safe for concurrent use.
type changes struct{ pages sync.Map } // channels of model.Subject

// maxWaiting is how many changes wait for a page.
const maxWaiting = 256

// add notifies the pages of the subjects of these records.
func (c *changes) add(records []types.Record) {
	var last model.Subject
	for _, r := range records {
		subject, ok := subjectIn(r.Dynamodb.Keys)
		if !ok || subject == last {
			continue
		}
		last = subject
		for page := range c.pages.Range {
			select {
			case page.(chan model.Subject) <- subject:
			default:
			}
		}
	}
}

// subjectIn returns the subject whose item has a key, or that an entry of the list of series is for: a new
// subject has no page before it is listed.
func subjectIn(key map[string]types.AttributeValue) (model.Subject, bool) {
	pk, _ := key[keys.AttrPK].(*types.AttributeValueMemberS)
	sk, _ := key[keys.AttrSK].(*types.AttributeValueMemberS)
	if pk == nil || sk == nil {
		return model.Subject{}, false
	}
	series, err := tablekeys.ParseSeriesEntry(keys.Key{PK: pk.Value, SK: sk.Value})
	if err != nil {
		series, err = keys.ParsePartition(pk.Value)
	}
	return series.Subject, err == nil
}

// handler serves the changes until ctx ends. An event has the path of a subject, as
// devices/sensor_01, as a JSON string.
func (c *changes) handler(ctx context.Context, kinds *catalog.Catalog) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page := make(chan model.Subject, maxWaiting)
		c.pages.Store(page, nil)
		defer c.pages.Delete(page)
		w.Header().Set("Content-Type", "text/event-stream")
		for to := http.NewResponseController(w); to.Flush() == nil; {
			select {
			case <-ctx.Done():
				return
			case <-r.Context().Done():
				return
			case subject := <-page:
				if of, ok := kinds.SubjectType(subject.Type); ok { // others belong to no subject
					path, _ := json.Marshal(of.Path + "/" + subject.ID) // a string
					fmt.Fprintf(w, "data: %s\n\n", path)
				}
			}
		}
	}
}
