package envelope

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Expiry is one record of a table stream's batch, as whoever cleans up after expiries
// reads it.
type Expiry struct {
	Seq       string         // its SequenceNumber
	Tombstone *model.Profile // that TTL took away; nil where the record says something else
	Err       error          // it is a tombstone's, and cannot be read
}

// Expiries reads a batch. What the mapping's filter promises is asked again of each
// record: only TTL's own removals count, since a tombstone that somebody removed was
// restored, or is cleaned up after by whoever did it. The error is for a payload that
// is no batch at all.
func Expiries(payload []byte) ([]Expiry, error) {
	var batch struct{ Records []expiryRecord }
	if err := json.Unmarshal(payload, &batch); err != nil {
		return nil, fmt.Errorf("decode table stream batch: %w", err)
	}
	if batch.Records == nil {
		return nil, errors.New("decode table stream batch: no Records: is the function invoked by the table's stream?")
	}
	all := make([]Expiry, len(batch.Records))
	for i := range batch.Records {
		all[i] = batch.Records[i].expiry()
	}
	return all, nil
}

type expiryRecord struct {
	EventName    string `json:"eventName"`
	UserIdentity struct {
		Type        string `json:"type"`
		PrincipalID string `json:"principalId"`
	} `json:"userIdentity"`
	DynamoDB struct {
		Keys, OldImage map[string]attributeJSON
		SequenceNumber string
	} `json:"dynamodb"`
}

func (r *expiryRecord) expiry() Expiry {
	e := Expiry{Seq: r.DynamoDB.SequenceNumber}
	byTTL := r.UserIdentity.Type == "Service" && r.UserIdentity.PrincipalID == "dynamodb.amazonaws.com"
	if r.EventName != "REMOVE" || !byTTL || !strings.HasPrefix(itemOf(r.DynamoDB.Keys).Key().SK, keys.DeletedPrefix) {
		return e
	}
	t, err := item.Tombstone(itemOf(r.DynamoDB.OldImage))
	if err != nil {
		e.Err = fmt.Errorf("table stream record %s: %w", e.Seq, err)
		return e
	}
	e.Tombstone = &t
	return e
}

// attributeJSON is an attribute value in DynamoDB's JSON: an object with one member
// named by its type.
type attributeJSON struct {
	S, N *string
	B    *[]byte
	BOOL *bool
	NULL *bool
}

func itemOf(attributes map[string]attributeJSON) item.Item {
	it := make(item.Item, len(attributes))
	for name, a := range attributes {
		switch {
		case a.S != nil:
			it[name] = item.Value{Type: item.S, S: *a.S}
		case a.N != nil:
			it[name] = item.Value{Type: item.N, S: *a.N}
		case a.B != nil:
			it[name] = item.Value{Type: item.B, B: *a.B}
		case a.BOOL != nil:
			it[name] = item.Value{Type: item.Bool, Bool: *a.BOOL}
		case a.NULL != nil:
			it[name] = item.Value{Type: item.Null}
		default:
			it[name] = item.Value{}
		}
	}
	return it
}
