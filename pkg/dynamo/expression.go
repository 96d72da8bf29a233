package dynamo

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// expression collects the names and values of one request's expressions. Every name and value has a
// placeholder, so that no field name is read as syntax. Placeholders are numbered in order of use: equal
// requests have equal expressions, as idempotency tokens require.
type expression struct {
	names        map[string]string // attribute by placeholder
	values       map[string]types.AttributeValue
	placeholders map[string]string // placeholder by attribute
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, placeholders: map[string]string{}}
}

func (x *expression) name(attr string) string {
	placeholder, ok := x.placeholders[attr]
	if !ok {
		placeholder = "#" + strconv.Itoa(len(x.names))
		x.placeholders[attr], x.names[placeholder] = placeholder, attr
	}
	return placeholder
}

func (x *expression) value(v item.Value) string {
	if x.values == nil { // nil without values: DynamoDB rejects an empty map
		x.values = map[string]types.AttributeValue{}
	}
	placeholder := ":" + strconv.Itoa(len(x.values))
	x.values[placeholder] = attribute(v)
	return placeholder
}

func (x *expression) text(s string) string { return x.value(item.Value{Type: item.S, S: s}) }

// usedNames returns the names of the expressions; nil if there are none, because DynamoDB
// rejects an empty map.
func (x *expression) usedNames() map[string]string {
	if len(x.names) == 0 {
		return nil
	}
	return x.names
}

func (x *expression) exists(attr string) string  { return "attribute_exists(" + x.name(attr) + ")" }
func (x *expression) missing(attr string) string { return "attribute_not_exists(" + x.name(attr) + ")" }

// absent: there is no item under this key.
func (x *expression) absent() string { return x.missing(keys.AttrPK) }

// newer: the subject has no purge lock, and the stored order is before first.
func (x *expression) newer(first model.Order) string {
	return x.missing(tablekeys.AttrPurgeLock) + " AND " + x.before(first)
}

// before: the stored order is before this one.
func (x *expression) before(first model.Order) string {
	at, id := x.name(tablekeys.AttrAt), x.name(tablekeys.AttrID)
	firstAt, firstID := x.text(first.At.String()), x.text(first.ID)
	return fmt.Sprintf("(%s < %s OR (%s = %s AND %s < %s))", at, firstAt, at, firstAt, id, firstID)
}

// sameOrder: the stored order is this one, and the subject has no purge lock.
func (x *expression) sameOrder(o model.Order) string {
	return fmt.Sprintf("%s AND %s = %s AND %s = %s", x.missing(tablekeys.AttrPurgeLock),
		x.name(tablekeys.AttrAt), x.text(o.At.String()), x.name(tablekeys.AttrID), x.text(o.ID))
}

// otherOrder: the subject has no purge lock, and the stored order, if there is one, is not this one.
func (x *expression) otherOrder(o model.Order) string {
	return fmt.Sprintf("%s AND NOT (%s = %s AND %s = %s)", x.missing(tablekeys.AttrPurgeLock),
		x.name(tablekeys.AttrAt), x.text(o.At.String()), x.name(tablekeys.AttrID), x.text(o.ID))
}

// creation: the item has no order yet, though it may hold enrichment, and the subject has no purge lock.
func (x *expression) creation() string {
	return x.missing(tablekeys.AttrAt) + " AND " + x.missing(tablekeys.AttrPurgeLock)
}

// newerOrCreation: the subject has no purge lock, and the stored order, if there is one, is before first.
func (x *expression) newerOrCreation(first model.Order) string {
	return x.missing(tablekeys.AttrPurgeLock) + " AND (" + x.missing(tablekeys.AttrAt) + " OR " +
		x.before(first) + ")"
}

// condition: every requirement of a precondition, and every term of the user's condition; nil if
// there is none.
func (x *expression) condition(when itemop.Precondition, where model.Condition) (*string, error) {
	all := make([]string, 0, 4) // a precondition seldom has more requirements
	for i := range when {
		one, err := x.requirement(&when[i])
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if len(where) > 0 {
		terms, err := x.where(where)
		if err != nil {
			return nil, err
		}
		all = append(all, terms)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return new(strings.Join(all, " AND ")), nil
}

func (x *expression) requirement(r *itemop.Requirement) (string, error) {
	switch r.Op {
	case itemop.ItemAbsent:
		return x.absent(), nil
	case itemop.ItemExists:
		return x.exists(keys.AttrPK), nil
	case itemop.AttrAbsent:
		return x.missing(r.Attr), nil
	case itemop.AttrEquals:
		return x.name(r.Attr) + " = " + x.value(r.Value), nil
	case itemop.AttrDiffers: // in DynamoDB an absent attribute differs from every value
		return x.name(r.Attr) + " <> " + x.value(r.Value), nil
	case itemop.AttrCompares:
		return x.name(r.Attr) + " " + string(r.By) + " " + x.value(r.Value), nil
	case itemop.AttrAbsentOrCompares:
		return "(" + x.missing(r.Attr) + " OR " + x.name(r.Attr) + " " + string(r.By) + " " + x.value(r.Value) +
			")", nil
	default:
		return "", fmt.Errorf("precondition on %q: unknown requirement %d", r.Attr, r.Op)
	}
}

// where: every term of the user's condition.
func (x *expression) where(c model.Condition) (string, error) {
	terms := make([]string, len(c))
	for i, t := range c {
		var err error
		if terms[i], err = x.term(t); err != nil {
			return "", err
		}
	}
	return strings.Join(terms, " AND "), nil
}

func (x *expression) term(t model.Term) (string, error) {
	switch t.Op {
	case model.Exists:
		return x.exists(t.Field), nil
	case model.Missing:
		return x.missing(t.Field), nil
	case model.NotEqual: // in DynamoDB an absent attribute differs from every value
		return "(" + x.exists(t.Field) + " AND " + x.compare(t) + ")", nil
	case model.Begins:
		return "begins_with(" + x.name(t.Field) + "," + x.value(item.FromValue(t.Value)) + ")", nil
	case model.Equal, model.Less, model.AtMost, model.Greater, model.AtLeast:
		return x.compare(t), nil
	default:
		return "", fmt.Errorf(
			"condition on %q: unknown comparison %q: want =, <>, <, <=, >, >=, begins, exists or missing", t.Field,
			t.Op)
	}
}

func (x *expression) compare(t model.Term) string {
	return x.name(t.Field) + " " + string(t.Op) + " " + x.value(item.FromValue(t.Value))
}

// change sets attributes and removes others.
func (x *expression) change(set item.Item, remove []string) string {
	change := ""
	if len(set) > 0 {
		change = x.set(set)
	}
	return strings.TrimPrefix(change+x.remove(slices.Sorted(slices.Values(remove))), " ")
}

// set assigns all attributes of it except the key, in sorted order. Those in once are assigned only if the
// item does not have them. Other attributes, such as enrichment, keep their values.
func (x *expression) set(it item.Item, once ...string) string {
	var parts []string
	for _, attr := range slices.Sorted(maps.Keys(it)) {
		if attr == keys.AttrPK || attr == keys.AttrSK {
			continue
		}
		name, value := x.name(attr), x.value(it[attr])
		if slices.Contains(once, attr) {
			value = "if_not_exists(" + name + "," + value + ")"
		}
		parts = append(parts, name+"="+value)
	}
	return "SET " + strings.Join(parts, ",")
}

// remove removes attributes; "" if there are none.
func (x *expression) remove(attrs []string) string {
	if len(attrs) == 0 {
		return ""
	}
	return " REMOVE " + strings.Join(lists.Map(attrs, x.name), ",")
}
