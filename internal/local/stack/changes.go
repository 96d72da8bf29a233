package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// changes notifies open pages which subjects have changed, as server-sent events, so that they
// read again at once. A page that is slow misses some, and reads after its interval. The zero
// value has no pages; it is safe for concurrent use.
type changes struct{ pages sync.Map } // channels of partition keys

// maxWaiting is how many changes wait for a page.
const maxWaiting = 256

// add notifies the pages of the partitions of these records.
func (c *changes) add(records []types.Record) {
	last := ""
	for _, r := range records {
		pk, ok := r.Dynamodb.Keys[keys.AttrPK].(*types.AttributeValueMemberS)
		if !ok || pk.Value == last {
			continue
		}
		last = pk.Value
		for page := range c.pages.Range {
			select {
			case page.(chan string) <- last:
			default:
			}
		}
	}
}

// handler serves the changes until ctx ends. An event has the path of a subject, as
// devices/sensor_01, as a JSON string.
func (c *changes) handler(ctx context.Context, kinds *catalog.Catalog) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page := make(chan string, maxWaiting)
		c.pages.Store(page, nil)
		defer c.pages.Delete(page)
		w.Header().Set("Content-Type", "text/event-stream")
		for to := http.NewResponseController(w); to.Flush() == nil; {
			select {
			case <-ctx.Done():
				return
			case <-r.Context().Done():
				return
			case partition := <-page:
				series, err := keys.ParsePartition(partition)
				if of, ok := kinds.SubjectType(series.Subject.Type); err == nil && ok { // others belong to no subject
					path, _ := json.Marshal(of.Path + "/" + series.Subject.ID) // a string
					fmt.Fprintf(w, "data: %s\n\n", path)
				}
			}
		}
	}
}
