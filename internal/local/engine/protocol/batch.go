package protocol

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Limits of batches.
const (
	maxBatchReads     = 100
	maxBatchWrites    = 25
	maxBatchReadBytes = 16 << 20
)

type keysAndAttributes struct {
	Keys                     []attributes
	ConsistentRead           bool              `json:",omitempty"`
	ExpressionAttributeNames map[string]string `json:",omitempty"`
}

type batchGetInput struct {
	RequestItems           map[string]keysAndAttributes
	ReturnConsumedCapacity string
}

func batchGetItem(s *Server, in *batchGetInput) (any, error) {
	if err := checkCapacity(in.ReturnConsumedCapacity); err != nil {
		return nil, err
	}
	n := 0
	for name, of := range in.RequestItems {
		if n += len(of.Keys); len(of.Keys) > maxBatchReads {
			return nil, invalidf("1 validation error detected: Value at 'RequestItems.%s.member.Keys' "+
				"failed to satisfy constraint: Member must have length less than or equal to %d",
				name, maxBatchReads)
		}
	}
	switch {
	case n == 0:
		return nil, invalid("The requestItems parameter is required for BatchGetItem")
	case n > maxBatchReads:
		return nil, invalid("Too many items requested for the BatchGetItem call")
	}
	out := &batchGetOutput{responses: map[string][]item.Item{}, unprocessed: map[string]keysAndAttributes{}}
	for name, of := range in.RequestItems {
		if err := s.batchGet(out, name, &of, in.ReturnConsumedCapacity); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// batchGet reads the keys of one table.
func (s *Server) batchGet(out *batchGetOutput, name string, of *keysAndAttributes, capacity string) error {
	t, err := s.find(name)
	if err != nil {
		return err
	}
	if err := newPlaceholders(of.ExpressionAttributeNames, nil).check(false); err != nil {
		return err
	}
	wanted, err := t.batchKeys(of.Keys)
	if err != nil {
		return err
	}
	units, behind := 0., t.limits.behind(of.ConsistentRead)
	var left []attributes
	out.responses[name] = []item.Item{}
	for i, k := range wanted {
		if out.bytes > maxBatchReadBytes {
			left = append(left, of.Keys[i:]...)
			break
		}
		it, one, err := t.read(k, of.ConsistentRead, behind)
		if errors.Is(err, errThrottled) {
			left = append(left, of.Keys[i])
			continue
		}
		if err != nil {
			return err
		}
		units += one
		if it != nil {
			out.responses[name] = append(out.responses[name], it)
			out.bytes += it.Size()
		}
	}
	switch {
	case len(left) == len(wanted):
		return errThrottled
	case left != nil:
		out.unprocessed[name] = keysAndAttributes{Keys: left, ConsistentRead: of.ConsistentRead}
	}
	if c := t.consumed(capacity, units); c != nil {
		out.consumed = append(out.consumed, *c)
	}
	return nil
}

func (t *table) batchKeys(all []attributes) ([]keys.Key, error) {
	schema, seen := t.Schema(), map[keys.Key]bool{}
	wanted := make([]keys.Key, len(all))
	for i, k := range all {
		var err error
		if wanted[i], err = parseKey(&schema, k); err != nil {
			return nil, err
		}
		if seen[wanted[i]] {
			return nil, invalid("Provided list of item keys contains duplicates")
		}
		seen[wanted[i]] = true
	}
	return wanted, nil
}

// batchGetOutput is the response of BatchGetItem.
type batchGetOutput struct {
	responses   map[string][]item.Item
	unprocessed map[string]keysAndAttributes
	bytes       int
	consumed    []consumed
}

func (o *batchGetOutput) appendTo(dst []byte) []byte {
	dst = append(dst, `{"Responses":{`...)
	for name, items := range o.responses {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = appendItems(append(appendQuoted(dst, name), ':'), items)
	}
	left, _ := json.Marshal(o.unprocessed) // plain data: cannot fail
	dst = append(append(dst, `},"UnprocessedKeys":`...), left...)
	if o.consumed != nil {
		text, _ := json.Marshal(o.consumed)
		dst = append(append(dst, `,"ConsumedCapacity":`...), text...)
	}
	return append(dst, '}')
}

type writeRequest struct {
	PutRequest    *struct{ Item attributes } `json:",omitempty"`
	DeleteRequest *struct{ Key attributes }  `json:",omitempty"`
}

type batchWriteInput struct {
	RequestItems                map[string][]writeRequest
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

func batchWriteItem(s *Server, in *batchWriteInput) (any, error) {
	o := writeOptions{ReturnConsumedCapacity: in.ReturnConsumedCapacity,
		ReturnItemCollectionMetrics: in.ReturnItemCollectionMetrics}
	if err := o.check(); err != nil {
		return nil, err
	}
	n := 0
	for _, of := range in.RequestItems {
		n += len(of)
	}
	switch {
	case n == 0:
		return nil, invalid("The requestItems parameter is required for BatchWriteItem")
	case n > maxBatchWrites:
		return nil, invalidAt("requestItems", fmt.Sprintf("{%d requests}", n),
			fmt.Sprintf("Map value must satisfy constraint: [Member must have length less than or equal to "+
				"%d, Member must have length greater than or equal to 1]", maxBatchWrites))
	}
	type batch struct {
		name    string
		t       *table
		actions []engine.Action
	}
	var all []batch
	for name, of := range in.RequestItems {
		t, actions, err := s.batchActions(name, of)
		if err != nil {
			return nil, err
		}
		all = append(all, batch{name: name, t: t, actions: actions})
	}
	out := struct {
		UnprocessedItems map[string][]writeRequest
		ConsumedCapacity []consumed `json:",omitempty"`
	}{UnprocessedItems: map[string][]writeRequest{}}
	taken := 0
	for i := range all {
		b := &all[i]
		if left := b.t.takeThrottled(&b.actions, in.RequestItems[b.name]); left != nil {
			out.UnprocessedItems[b.name] = left
		}
		taken += len(b.actions)
	}
	if taken == 0 {
		return nil, errThrottled
	}
	for _, b := range all {
		if len(b.actions) == 0 {
			continue
		}
		result, err := b.t.Write("", [sha256.Size]byte{}, b.actions)
		if err = errors.Join(err, result.Stored.Wait()); err != nil {
			return nil, err
		}
		b.t.wrote(result.Changes, 1)
		units := 0.
		for i := range result.Changes {
			units += b.t.writeUnits(&result.Changes[i])
		}
		if c := b.t.consumed(in.ReturnConsumedCapacity, units); c != nil {
			out.ConsumedCapacity = append(out.ConsumedCapacity, *c)
		}
	}
	return out, nil
}

func (s *Server) batchActions(name string, of []writeRequest) (*table, []engine.Action, error) {
	t, err := s.find(name)
	if err != nil {
		return nil, nil, err
	}
	schema, seen := t.Schema(), map[keys.Key]bool{}
	actions := make([]engine.Action, len(of))
	for i, r := range of {
		switch {
		case (r.PutRequest == nil) == (r.DeleteRequest == nil):
			return nil, nil, invalid(
				"Supplied AttributeValue has more than one datatypes set, must contain exactly one of " +
					"the supported datatypes")
		case r.PutRequest != nil:
			p := put{Item: r.PutRequest.Item}
			if actions[i], err = p.action(t); err == nil && actions[i].Item.Size() > engine.MaxItemBytes {
				err = invalid("Item size has exceeded the maximum allowed size")
			}
		default:
			actions[i].Kind = engine.Delete
			actions[i].Key, err = parseKey(&schema, r.DeleteRequest.Key)
		}
		if err != nil {
			return nil, nil, err
		}
		if seen[actions[i].Key] {
			return nil, nil, invalid("Provided list of item keys contains duplicates")
		}
		seen[actions[i].Key] = true
	}
	return t, actions, nil
}
