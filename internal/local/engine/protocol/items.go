package protocol

import (
	"crypto/sha256"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// expressions are the parameters of a write's expressions.
type expressions struct {
	ConditionExpression       *string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]value
}

// writeOptions are the parameters of a write's response.
type writeOptions struct {
	ReturnValues                        string
	ReturnValuesOnConditionCheckFailure string
	ReturnConsumedCapacity              string
	ReturnItemCollectionMetrics         string
}

// check refuses what the engine does not return.
func (o *writeOptions) check() error {
	if o.ReturnValues != "" && o.ReturnValues != "NONE" {
		return unknown("ReturnValues " + o.ReturnValues)
	}
	if o.ReturnItemCollectionMetrics != "" && o.ReturnItemCollectionMetrics != "NONE" {
		return unknown("ReturnItemCollectionMetrics " + o.ReturnItemCollectionMetrics)
	}
	switch o.ReturnValuesOnConditionCheckFailure {
	case "", "NONE", "ALL_OLD":
	default:
		return invalid("ReturnValuesOnConditionCheckFailure is none of NONE and ALL_OLD: " +
			o.ReturnValuesOnConditionCheckFailure)
	}
	return checkCapacity(o.ReturnConsumedCapacity)
}

// put, update, remove and check are the actions of requests and of transactions.
type (
	put struct {
		TableName string
		Item      attributes
		expressions
		ReturnValuesOnConditionCheckFailure string
	}
	update struct {
		TableName        string
		Key              attributes
		UpdateExpression *string
		expressions
		ReturnValuesOnConditionCheckFailure string
	}
	remove struct {
		TableName string
		Key       attributes
		expressions
		ReturnValuesOnConditionCheckFailure string
	}
)

func (p *put) action(t *table) (a engine.Action, err error) {
	schema := t.Schema()
	a.Kind, a.Item = engine.Put, item.Item(p.Item)
	key, failed := schema.Key(a.Item)
	if failed == nil {
		failed = schema.CheckIndexKeys(a.Item)
	}
	a.Key = key
	holders := newPlaceholders(p.ExpressionAttributeNames, p.ExpressionAttributeValues)
	if a.If, err = condition("ConditionExpression", p.ConditionExpression, holders); err != nil {
		return a, err
	}
	if err := holders.check(p.ConditionExpression != nil); err != nil || failed == nil {
		return a, err
	}
	return a, itemError{invalid(failed.Error())}
}

func (u *update) action(t *table) (a engine.Action, err error) {
	schema := t.Schema()
	a.Kind = engine.Update
	holders := newPlaceholders(u.ExpressionAttributeNames, u.ExpressionAttributeValues)
	changes, err := parseUpdate(u.UpdateExpression, holders)
	if err != nil {
		return a, err
	}
	a.Set, a.Remove = changes.set, changes.remove
	if a.If, err = condition("ConditionExpression", u.ConditionExpression, holders); err != nil {
		return a, err
	}
	if err := holders.check(u.ConditionExpression != nil || u.UpdateExpression != nil); err != nil {
		return a, err
	}
	if a.Key, err = parseKey(&schema, u.Key); err == nil {
		err = changes.checkKeys(&schema)
	}
	return a, itemFault(err)
}

// itemFault marks an error as the item's; nil stays nil.
func itemFault(err error) error {
	if err == nil {
		return nil
	}
	return itemError{err}
}

func (r *remove) action(t *table, kind engine.Kind) (a engine.Action, err error) {
	schema := t.Schema()
	a.Kind = kind
	holders := newPlaceholders(r.ExpressionAttributeNames, r.ExpressionAttributeValues)
	if a.If, err = condition("ConditionExpression", r.ConditionExpression, holders); err != nil {
		return a, err
	}
	if err := holders.check(r.ConditionExpression != nil); err != nil {
		return a, err
	}
	a.Key, err = parseKey(&schema, r.Key)
	return a, itemFault(err)
}

// parseKey returns the key of a request, which has the key attributes and no others.
func parseKey(schema *engine.Schema, k attributes) (keys.Key, error) {
	want := 1
	if schema.Sort != "" {
		want = 2
	}
	for _, name := range []string{schema.Partition, schema.Sort} {
		if v, ok := k[name]; name != "" && (!ok || v.Type != item.S) {
			return keys.Key{}, invalid("The provided key element does not match the schema")
		}
	}
	if len(k) != want {
		return keys.Key{}, invalid("The provided key element does not match the schema")
	}
	found, err := schema.Key(item.Item(k))
	if err != nil {
		return found, invalid(err.Error())
	}
	return found, nil
}

type putItemInput struct {
	TableName string
	Item      attributes
	expressions
	writeOptions
}

func putItem(s *Server, in *putItemInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	t, err := s.find(in.TableName)
	if err != nil {
		return nil, err
	}
	p := put{Item: in.Item, expressions: in.expressions}
	a, err := p.action(t)
	if err != nil {
		return nil, err
	}
	return t.write(a, &in.writeOptions)
}

type updateItemInput struct {
	TableName        string
	Key              attributes
	UpdateExpression *string
	expressions
	writeOptions
}

func updateItem(s *Server, in *updateItemInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	t, err := s.find(in.TableName)
	if err != nil {
		return nil, err
	}
	u := update{Key: in.Key, UpdateExpression: in.UpdateExpression, expressions: in.expressions}
	a, err := u.action(t)
	if err != nil {
		return nil, err
	}
	return t.write(a, &in.writeOptions)
}

type deleteItemInput struct {
	TableName string
	Key       attributes
	expressions
	writeOptions
}

func deleteItem(s *Server, in *deleteItemInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	t, err := s.find(in.TableName)
	if err != nil {
		return nil, err
	}
	r := remove{Key: in.Key, expressions: in.expressions}
	a, err := r.action(t, engine.Delete)
	if err != nil {
		return nil, err
	}
	return t.write(a, &in.writeOptions)
}

// write carries out one action.
func (t *table) write(a engine.Action, o *writeOptions) (any, error) {
	if t.throttles(&a) {
		return nil, errThrottled
	}
	result, err := t.Write("", [sha256.Size]byte{}, []engine.Action{a})
	if err != nil {
		return nil, err
	}
	t.wrote(result.Changes, 1)
	if err := result.Stored.Wait(); err != nil {
		return nil, err
	}
	if result.Outcomes != nil {
		return nil, failedWrite(&result.Outcomes[0], o.ReturnValuesOnConditionCheckFailure)
	}
	var out struct {
		ConsumedCapacity *consumed `json:",omitempty"`
	}
	out.ConsumedCapacity = t.consumed(o.ReturnConsumedCapacity, t.writeUnits(&result.Changes[0]))
	return out, nil
}

// failedWrite is the error of a write of one item that was not carried out.
func failedWrite(o *engine.Outcome, returned string) error {
	if o.Invalid != nil {
		return invalidAction(o.Invalid)
	}
	failed := &conditionError{failure: failure{conditionFailed, "The conditional request failed"}}
	if returned == "ALL_OLD" {
		failed.old = o.Old
	}
	return failed
}

type getItemInput struct {
	TableName                string
	Key                      attributes
	ExpressionAttributeNames map[string]string
	ConsistentRead           bool
	ReturnConsumedCapacity   string
}

func getItem(s *Server, in *getItemInput) (any, error) {
	if err := checkCapacity(in.ReturnConsumedCapacity); err != nil {
		return nil, err
	}
	t, err := s.find(in.TableName)
	if err != nil {
		return nil, err
	}
	if err := newPlaceholders(in.ExpressionAttributeNames, nil).check(false); err != nil {
		return nil, err
	}
	schema := t.Schema()
	k, err := parseKey(&schema, in.Key)
	if err != nil {
		return nil, err
	}
	it, units, err := t.read(k, in.ConsistentRead, t.limits.behind(in.ConsistentRead))
	if err != nil {
		return nil, err
	}
	return &itemOutput{it, t.consumed(in.ReturnConsumedCapacity, units)}, nil
}

// itemOutput is the response of GetItem.
type itemOutput struct {
	it       item.Item // nil for none
	consumed *consumed
}

func (o *itemOutput) appendTo(dst []byte) []byte {
	dst = append(dst, '{')
	if o.it != nil {
		dst = appendItem(append(dst, `"Item":`...), o.it)
	}
	return append(o.consumed.appendTo(dst), '}')
}
