package tablestream

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Expiry is one record of a batch of the table stream, as the cleanup after expiries needs it.
type Expiry struct {
	Seq       string         // SequenceNumber
	Tombstone *model.Profile // removed by TTL; nil for any other record
	Err       error          // the tombstone cannot be read
}

// Expiries decodes a batch. It repeats the check of the mapping's filter: only tombstones
// that TTL removed are returned, since a restore or a user delete removes a tombstone
// itself and needs no cleanup. The error is for a payload that is not a batch.
func Expiries(payload []byte) ([]Expiry, error) {
	var batch struct{ Records []expiryRecord }
	if err := json.Unmarshal(payload, &batch); err != nil {
		return nil, fmt.Errorf("decode table stream batch: %w", err)
	}
	if batch.Records == nil {
		return nil, errors.New(
			"decode table stream batch: no Records: is the function invoked by the table's stream?")
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
	if r.EventName != "REMOVE" || !byTTL ||
		!strings.HasPrefix(itemFromJSON(r.DynamoDB.Keys).Key().SK, tablekeys.DeletedPrefix) {
		return e
	}
	t, err := item.Tombstone(itemFromJSON(r.DynamoDB.OldImage))
	if err != nil {
		e.Err = fmt.Errorf("table stream record %s: %w", e.Seq, err)
		return e
	}
	e.Tombstone = &t
	return e
}

// attributeJSON is an attribute value in DynamoDB's JSON: an object whose one member is named after the type.
type attributeJSON struct {
	S, N *string
	B    *[]byte
	BOOL *bool
	NULL *bool
}

func itemFromJSON(attributes map[string]attributeJSON) item.Item {
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
