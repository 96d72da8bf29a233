package envelope

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// StreamDecoder reads what a table stream's mapping sends to a function. The zero
// value is ready; it is safe for concurrent use. What it returns shares no memory
// with the payload.
type StreamDecoder struct{}

// StreamBatch is a decoded batch. All lists are in batch order.
type StreamBatch struct {
	// Seqs has the SequenceNumber of every record, "" where it could not be read. They
	// name records in an answer and are never compared: only their place has a meaning.
	Seqs    []string
	Changes []model.Change // of events; removals by TTL are among them, as Expired
	Poison  []Poison       // records from which not even their bucket could be read
	Skipped int            // records of items that are no events
}

// Poison is a record that cannot be settled by anybody: it is kept with its reason
// and the table stream moves on.
type Poison struct {
	Seq     string
	EventID string // "" where it could not be read
	At      model.Time
	Reason  string
	Record  []byte // whole, as it came
}

// Decode reads a payload. The error is for a payload that is no batch at all; a
// record that cannot be read is Poison and spoils no other.
func (d *StreamDecoder) Decode(payload []byte) (StreamBatch, error) {
	var in struct{ Records []json.RawMessage }
	if err := json.Unmarshal(payload, &in); err != nil {
		return StreamBatch{}, fmt.Errorf("decode table stream batch: %w", err)
	}
	if in.Records == nil {
		return StreamBatch{}, errors.New("decode table stream batch: no Records: is the function invoked by the table's stream?")
	}
	batch := StreamBatch{Seqs: make([]string, len(in.Records))}
	for i, raw := range in.Records {
		batch.Seqs[i] = batch.decode(raw)
	}
	return batch, nil
}

// decode adds one record to the batch and answers its SequenceNumber.
func (b *StreamBatch) decode(raw json.RawMessage) string {
	var r streamRecord
	err := json.Unmarshal(raw, &r) // on a wrong type it reads on: the rest may name the record
	if err == nil {
		var change *model.Change
		switch change, err = r.change(); {
		case err != nil:
		case change == nil:
			b.Skipped++
		default:
			b.Changes = append(b.Changes, *change)
		}
	}
	if err != nil {
		b.Poison = append(b.Poison, Poison{
			Seq:     r.DynamoDB.SequenceNumber,
			EventID: r.EventID,
			At:      r.at(),
			Reason:  "table stream record: " + err.Error(),
			Record:  raw,
		})
	}
	return r.DynamoDB.SequenceNumber
}

// Quarantined is the form in which p is kept. The same record has the same ID
// whenever it comes.
func (p *Poison) Quarantined() model.Quarantined {
	id := p.EventID
	if id == "" {
		sum := sha256.Sum256(p.Record)
		id = hex.EncodeToString(sum[:16])
	}
	return model.Quarantined{ID: p.At.String() + "-" + id, Reason: p.Reason, Payload: p.Record}
}

// streamRecord is one record as Lambda sends it. Images stay raw: one that cannot be
// decoded does not hide the key, and the key is all that a look needs.
type streamRecord struct {
	EventID        string `json:"eventID"`
	EventName      string `json:"eventName"`
	EventSourceARN string `json:"eventSourceARN"`
	UserIdentity   struct {
		Type        string `json:"type"`
		PrincipalID string `json:"principalId"`
	} `json:"userIdentity"`
	DynamoDB struct {
		ApproximateCreationDateTime float64
		Keys                        json.RawMessage
		NewImage                    json.RawMessage
		OldImage                    json.RawMessage
		SequenceNumber              string
	} `json:"dynamodb"`
}

// change is what the record says of an event; nil where the item is no event.
func (r *streamRecord) change() (*model.Change, error) {
	key, err := itemOf(r.DynamoDB.Keys)
	if err != nil {
		return nil, fmt.Errorf("the item's key cannot be read: %w", err)
	}
	k := key.Key()
	if err := k.Check(); err != nil {
		return nil, fmt.Errorf("the item's key cannot be read: %w", err)
	}
	if !strings.HasPrefix(k.SK, keys.EventPrefix) {
		return nil, nil
	}
	event, err := keys.ParseEvent(k)
	if err != nil {
		return nil, err
	}
	c := &model.Change{
		Key: event, Before: imageOf(r.DynamoDB.OldImage), After: imageOf(r.DynamoDB.NewImage),
		Seq: r.DynamoDB.SequenceNumber, Source: r.EventSourceARN, EventID: r.EventID, At: r.at(),
	}
	c.What, err = r.what(c)
	return c, err
}

func (r *streamRecord) what(c *model.Change) (model.What, error) {
	switch r.EventName {
	case "INSERT":
		return model.Inserted, nil
	case "MODIFY":
		return model.Corrected, nil
	case "REMOVE":
		if r.expired(c) {
			return model.Expired, nil
		}
		return model.Deleted, nil
	}
	return 0, fmt.Errorf("unknown eventName %q: want INSERT, MODIFY or REMOVE", r.EventName)
}

// expired tells a removal by TTL from one by somebody. TTL says who it is only in the
// Region where it removed the item; a replica, and an emulator, show a removal without
// identity. So the event's own expiry is asked too.
func (r *streamRecord) expired(c *model.Change) bool {
	if r.UserIdentity.Type == "Service" && r.UserIdentity.PrincipalID == "dynamodb.amazonaws.com" {
		return true
	}
	return c.Before != nil && c.Before.ExpiresAt != 0 && c.Before.ExpiresAt <= c.At.Add(tier.ExpiryMargin).Seconds()
}

// at is the record's time. Lambda sends epoch seconds, as a whole number or not.
func (r *streamRecord) at() model.Time {
	ms := math.Round(r.DynamoDB.ApproximateCreationDateTime * 1000)
	if ms < 0 || ms > float64(model.MaxTime) {
		return 0
	}
	return model.Time(ms)
}

// imageOf is the event of an image; nil where there is none or it is none of ours.
func imageOf(raw json.RawMessage) *model.Event {
	it, err := itemOf(raw)
	if err != nil {
		return nil
	}
	e, err := item.Event(it)
	if err != nil {
		return nil
	}
	return &e
}

// attribute is an attribute value in DynamoDB's JSON: an object with one member named
// by its type.
type attribute struct {
	S    *string
	N    *string
	B    *[]byte
	BOOL *bool
	NULL *bool
}

func itemOf(raw json.RawMessage) (item.Item, error) {
	var attributes map[string]attribute
	if len(raw) == 0 {
		return nil, errors.New("it is missing")
	}
	if err := json.Unmarshal(raw, &attributes); err != nil {
		return nil, err
	}
	it := make(item.Item, len(attributes))
	for name, a := range attributes {
		it[name] = a.value()
	}
	return it, nil
}

// value is the stored value; of type Other for maps, lists and sets, which events
// never hold.
func (a *attribute) value() item.Value {
	switch {
	case a.S != nil:
		return item.Value{Type: item.S, S: *a.S}
	case a.N != nil:
		return item.Value{Type: item.N, S: *a.N}
	case a.B != nil:
		return item.Value{Type: item.B, B: *a.B}
	case a.BOOL != nil:
		return item.Value{Type: item.Bool, Bool: *a.BOOL}
	case a.NULL != nil:
		return item.Value{Type: item.Null}
	}
	return item.Value{}
}
