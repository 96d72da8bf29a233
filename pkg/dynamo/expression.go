package dynamo

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// expression gathers the names and values of one request's expressions. Every name
// and value goes through a placeholder, so no field name can be taken for syntax;
// they are numbered in order of use, so that the same request has the same text.
type expression struct {
	names  map[string]string // placeholder to attribute
	values map[string]types.AttributeValue
	given  map[string]string // attribute to placeholder
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, given: map[string]string{}}
}

func (x *expression) name(attr string) string {
	placeholder, ok := x.given[attr]
	if !ok {
		placeholder = "#" + strconv.Itoa(len(x.names))
		x.given[attr], x.names[placeholder] = placeholder, attr
	}
	return placeholder
}

func (x *expression) value(v item.Value) string {
	if x.values == nil { // stays nil without values: the server refuses an empty map
		x.values = map[string]types.AttributeValue{}
	}
	placeholder := ":" + strconv.Itoa(len(x.values))
	x.values[placeholder] = attribute(v)
	return placeholder
}

func (x *expression) text(s string) string { return x.value(item.Value{Type: item.S, S: s}) }

func (x *expression) number(n int64) string {
	return x.value(item.Value{Type: item.N, S: strconv.FormatInt(n, 10)})
}

func (x *expression) exists(attr string) string  { return "attribute_exists(" + x.name(attr) + ")" }
func (x *expression) missing(attr string) string { return "attribute_not_exists(" + x.name(attr) + ")" }

// free: there is no item under this key.
func (x *expression) free() string { return x.missing(keys.AttrPK) }

// newer: the subject is not being purged, and the stored order lies strictly before
// the first record high.
func (x *expression) newer(first model.Order) string {
	return x.missing(keys.AttrFence) + " AND " + x.before(first)
}

// before: the stored order lies strictly before this one.
func (x *expression) before(first model.Order) string {
	at, id := x.name(keys.AttrAt), x.name(keys.AttrID)
	firstAt, firstID := x.text(first.At.String()), x.text(first.ID)
	return fmt.Sprintf("(%s < %s OR (%s = %s AND %s < %s))", at, firstAt, at, firstAt, id, firstID)
}

// creation: no event has made this current yet (there may be an item of enrichment
// alone), and the subject is not being purged.
func (x *expression) creation() string {
	return x.missing(keys.AttrAt) + " AND " + x.missing(keys.AttrFence)
}

// newerOrCreation: the subject is not being purged, and the stored order, where there
// is one, lies strictly before the first record high.
func (x *expression) newerOrCreation(first model.Order) string {
	return x.missing(keys.AttrFence) + " AND (" + x.missing(keys.AttrAt) + " OR " + x.before(first) + ")"
}

// where: the caller's own condition, every term of it.
func (x *expression) where(c ingest.Condition) (string, error) {
	terms := make([]string, len(c))
	for i, t := range c {
		var err error
		if terms[i], err = x.term(t); err != nil {
			return "", err
		}
	}
	return strings.Join(terms, " AND "), nil
}

func (x *expression) term(t ingest.Term) (string, error) {
	switch t.Op {
	case ingest.Exists:
		return x.exists(t.Field), nil
	case ingest.Missing:
		return x.missing(t.Field), nil
	case ingest.NotEqual: // the server holds an absent attribute to differ from everything
		return "(" + x.exists(t.Field) + " AND " + x.compare(t) + ")", nil
	case ingest.Begins:
		return "begins_with(" + x.name(t.Field) + "," + x.value(item.FromValue(t.Value)) + ")", nil
	case ingest.Equal, ingest.Less, ingest.AtMost, ingest.Greater, ingest.AtLeast:
		return x.compare(t), nil
	default:
		return "", fmt.Errorf("condition on %q: comparison %q is unknown: want =, <>, <, <=, >, >=, begins, exists or missing", t.Field, t.Op)
	}
}

func (x *expression) compare(t ingest.Term) string {
	return x.name(t.Field) + " " + string(t.Op) + " " + x.value(item.FromValue(t.Value))
}

// set names every attribute of it but the key, sorted; those of once only where
// there is none yet. What it does not name stays as it is: enrichment above all.
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

// remove takes attributes away; "" where there are none to take.
func (x *expression) remove(attrs []string) string {
	if len(attrs) == 0 {
		return ""
	}
	names := make([]string, len(attrs))
	for i, attr := range attrs {
		names[i] = x.name(attr)
	}
	return " REMOVE " + strings.Join(names, ",")
}
