package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

type transactItem struct {
	Put            *put
	Update         *update
	Delete         *remove
	ConditionCheck *remove
}

type transactWriteInput struct {
	TransactItems               []transactItem
	ClientRequestToken          string
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

func transactWriteItems(s *Server, in *transactWriteInput) (any, error) {
	o := writeOptions{ReturnConsumedCapacity: in.ReturnConsumedCapacity,
		ReturnItemCollectionMetrics: in.ReturnItemCollectionMetrics}
	if err := o.check(); err != nil {
		return nil, err
	}
	switch n := len(in.TransactItems); {
	case n == 0:
		return nil, invalidAt("transactItems", "[]", "Member must have length greater than or equal to 1")
	case n > engine.MaxActions:
		return nil, invalidAt("transactItems", fmt.Sprintf("[%d actions]", n),
			fmt.Sprintf("Member must have length less than or equal to %d", engine.MaxActions))
	case len(in.ClientRequestToken) > engine.MaxTokenBytes:
		return nil, invalidAt("clientRequestToken", in.ClientRequestToken,
			fmt.Sprintf("Member must have length less than or equal to %d", engine.MaxTokenBytes))
	}
	t, actions, returned, err := s.transactActions(in.TransactItems)
	if err != nil {
		return nil, err
	}
	if reasons := t.throttledActions(actions); reasons != nil {
		return nil, &cancelledError{reasons}
	}
	result, err := t.Write(in.ClientRequestToken, in.content(), actions)
	if err != nil {
		return nil, err
	}
	t.wrote(result.Changes, transactional)
	if err := result.Stored.Wait(); err != nil {
		return nil, err
	}
	if result.Outcomes != nil {
		return nil, cancelledBy(result.Outcomes, returned)
	}
	var out struct {
		ConsumedCapacity []consumed `json:",omitempty"`
	}
	if c := t.transactConsumed(in.ReturnConsumedCapacity, &result); c != nil {
		out.ConsumedCapacity = []consumed{*c}
	}
	return out, nil
}

// transactActions returns the actions of a transaction, which must all be on one table, and what each
// returns on a failed condition.
func (s *Server) transactActions(items []transactItem) (t *table, actions []engine.Action, returned []string,
	err error) {
	actions, returned = make([]engine.Action, len(items)), make([]string, len(items))
	names := map[string]bool{}
	for i := range items {
		name, one, err := items[i].bind()
		if err != nil {
			return nil, nil, nil, err
		}
		if names[name] = true; len(names) > 1 {
			return nil, nil, nil, unknown("a transaction on several tables")
		}
		if t == nil {
			if t, err = s.find(name); err != nil {
				return nil, nil, nil, err
			}
		}
		if actions[i], err = one(t); errors.As(err, new(itemError)) {
			actions[i].Invalid, err = err, nil
			actions[i].Key = keys.Key{PK: "\xff", SK: strconv.Itoa(i)} // of no item
		}
		if err != nil {
			return nil, nil, nil, err
		}
		returned[i] = items[i].returned()
	}
	return t, actions, returned, nil
}

// bind returns the table of an action, and how to read the action.
func (i *transactItem) bind() (name string, action func(*table) (engine.Action, error), err error) {
	set := 0
	if i.Put != nil {
		set++
		name, action = i.Put.TableName, i.Put.action
	}
	if i.Update != nil {
		set++
		name, action = i.Update.TableName, i.Update.action
	}
	if i.Delete != nil {
		set, name = set+1, i.Delete.TableName
		action = func(t *table) (engine.Action, error) { return i.Delete.action(t, engine.Delete) }
	}
	if i.ConditionCheck != nil {
		set, name = set+1, i.ConditionCheck.TableName
		action = func(t *table) (engine.Action, error) {
			if i.ConditionCheck.ConditionExpression == nil {
				return engine.Action{},
					invalid("1 validation error detected: " +
						"Value null at 'transactItems.1.member.conditionCheck.conditionExpression' " +
						"failed to satisfy constraint: Member must not be null")
			}
			return i.ConditionCheck.action(t, engine.Check)
		}
	}
	if set != 1 {
		return "", nil, invalid("TransactItems can only contain one of Check, Put, Update or Delete")
	}
	return name, action, nil
}

func (i *transactItem) returned() string {
	switch {
	case i.Put != nil:
		return i.Put.ReturnValuesOnConditionCheckFailure
	case i.Update != nil:
		return i.Update.ReturnValuesOnConditionCheckFailure
	case i.Delete != nil:
		return i.Delete.ReturnValuesOnConditionCheckFailure
	default:
		return i.ConditionCheck.ReturnValuesOnConditionCheckFailure
	}
}

// content returns a hash of the transaction without its token.
func (in *transactWriteInput) content() [sha256.Size]byte {
	if in.ClientRequestToken == "" {
		return [sha256.Size]byte{}
	}
	text, _ := json.Marshal(in.TransactItems) // plain data: cannot fail
	return sha256.Sum256(bytes.TrimSpace(text))
}

// MarshalJSON encodes a value.
func (v value) MarshalJSON() ([]byte, error) { return appendValue(nil, item.Value(v)), nil }

// cancelledBy is the error of a transaction that stored nothing.
func cancelledBy(outcomes []engine.Outcome, returned []string) error {
	c := &cancelledError{reasons: make([]reason, len(outcomes))}
	for i, o := range outcomes {
		switch {
		case o.Invalid != nil:
			c.reasons[i] = reason{Code: "ValidationError", Message: invalidAction(o.Invalid).Error()}
		case o.Failed:
			c.reasons[i] = reason{Code: "ConditionalCheckFailed", Message: "The conditional request failed"}
			if returned[i] == "ALL_OLD" {
				c.reasons[i].Item = attributes(o.Old)
			}
		default:
			c.reasons[i] = reason{Code: "None"}
		}
	}
	return c
}

// invalidAction is the error of an action that cannot be carried out on its item.
func invalidAction(err error) error {
	if errors.Is(err, storage.ErrTooLarge) {
		return translate(err)
	}
	return invalid(err.Error())
}

// transactional is how often a transaction takes the units of a write.
const transactional = 2

// transactConsumed returns the units of a transaction: twice the units of its writes, or the units of reads
// if it was repeated.
func (t *table) transactConsumed(mode string, result *engine.Result) *consumed {
	units := 0.
	for i := range result.Changes {
		units += transactional * t.writeUnits(&result.Changes[i])
	}
	c := t.consumed(mode, units)
	if c != nil {
		c.WriteCapacityUnits = units
	}
	if c != nil && result.Repeated {
		c.CapacityUnits, c.ReadCapacityUnits = 1, 1
	}
	return c
}

// throttledActions returns the cancellation reasons of a transaction if a partition takes no write now.
func (t *table) throttledActions(actions []engine.Action) (reasons []reason) {
	for i := range actions {
		if !t.throttles(&actions[i]) {
			continue
		}
		if reasons == nil {
			reasons = slices.Repeat([]reason{{Code: "None"}}, len(actions))
		}
		reasons[i] = reason{Code: "ThrottlingError", Message: errThrottled.Error()}
	}
	return reasons
}
