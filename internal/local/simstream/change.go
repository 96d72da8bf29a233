package simstream

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Change is one change of one item of a simulated table.
type Change struct {
	Partition string    // the partition key in any form; it selects the stream shard
	Item      string    // the whole primary key in any form; changes of one item are ordered
	Keys      item.Item // the attributes of the primary key
	Old       item.Item // nil if the item is new
	New       item.Item // nil if it was removed
	Expired   bool      // TTL removed it
	// Unsigned omits the identity of TTL, as the table stream of a replica does.
	Unsigned bool
	// Of is the name of the item in a trace; nil uses Item.
	Of fmt.Stringer
}

func (c *Change) name() string {
	switch {
	case c.Old == nil:
		return "INSERT"
	case c.New == nil:
		return "REMOVE"
	}
	return "MODIFY"
}

// String returns the change as in a trace: INSERT a#1.
func (c *Change) String() string {
	text := c.name() + " " + c.Item
	if c.Of != nil {
		text = c.name() + " " + c.Of.String()
	}
	if c.Expired {
		text += " (expired)"
	}
	return text
}

// Body returns the record of a change at a time as in the Records of Lambda's event.
func Body(c *Change, at model.Time, arn, seq string) json.RawMessage {
	var identity any
	if c.Expired && !c.Unsigned {
		identity = map[string]string{"type": "Service", "principalId": "dynamodb.amazonaws.com"}
	}
	body, _ := json.Marshal(wireRecord{ // strings and plain structs: it cannot fail
		EventID: "event-" + seq, EventName: c.name(), EventVersion: "1.1",
		EventSource: "aws:dynamodb", EventSourceARN: arn, UserIdentity: identity,
		DynamoDB: wireChange{
			At: json.Number(strconv.FormatInt(at.Seconds(), 10)), Keys: wireItem(c.Keys),
			NewImage: wireItem(c.New), OldImage: wireItem(c.Old),
			SequenceNumber: seq, StreamViewType: "NEW_AND_OLD_IMAGES",
		},
	})
	return body
}

type wireRecord struct {
	EventID        string     `json:"eventID"`
	EventName      string     `json:"eventName"`
	EventVersion   string     `json:"eventVersion"`
	EventSource    string     `json:"eventSource"`
	EventSourceARN string     `json:"eventSourceARN"`
	UserIdentity   any        `json:"userIdentity,omitempty"`
	DynamoDB       wireChange `json:"dynamodb"`
}

type wireChange struct {
	At             json.Number `json:"ApproximateCreationDateTime"`
	Keys           wire        `json:"Keys"`
	NewImage       wire        `json:"NewImage,omitempty"`
	OldImage       wire        `json:"OldImage,omitempty"`
	SequenceNumber string      `json:"SequenceNumber"`
	StreamViewType string      `json:"StreamViewType"`
}

// wire is an item in DynamoDB's JSON.
type wire map[string]map[string]any

func wireItem(it item.Item) wire {
	if it == nil {
		return nil
	}
	out := make(wire, len(it))
	for name, v := range it {
		switch v.Type {
		case item.S:
			out[name] = map[string]any{"S": v.S}
		case item.N:
			out[name] = map[string]any{"N": v.S}
		case item.B:
			out[name] = map[string]any{"B": v.B}
		case item.Bool:
			out[name] = map[string]any{"BOOL": v.Bool}
		case item.Null:
			out[name] = map[string]any{"NULL": true}
		case item.Nested:
			tree, _ := item.ParseNested(v.S)
			out[name] = wireTree(tree)
		default:
			out[name] = map[string]any{"SS": []string{"x"}} // Tidemark never reads the content of these types
		}
	}
	return out
}

// wireTree returns a value of item.ParseNested in DynamoDB's JSON.
func wireTree(tree any) map[string]any {
	switch v := tree.(type) {
	case string:
		return map[string]any{"S": v}
	case bool:
		return map[string]any{"BOOL": v}
	case model.Decimal:
		return map[string]any{"N": v.String()}
	case []any:
		return map[string]any{"L": lists.Map(v, wireTree)}
	case map[string]any:
		members := make(wire, len(v))
		for name, member := range v {
			members[name] = wireTree(member)
		}
		return map[string]any{"M": members}
	}
	return map[string]any{"NULL": true}
}
