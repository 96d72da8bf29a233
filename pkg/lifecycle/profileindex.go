package lifecycle

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// setIndexKeys sets the keys of a stored profile in the indexes of its subject type, and
// removes the keys of indexes whose field it lacks. It does not touch an index that the
// type does not declare, because another program may use it.
func setIndexKeys(it item.Item, p *model.Profile, spec *catalog.Profile) {
	for _, x := range spec.Indexes {
		it.SetIndex(x.Index, indexKey(p, x))
	}
}

// indexKey returns the key of a profile in an index; the zero Key if the profile is not in it.
func indexKey(p *model.Profile, x catalog.ProfileIndex) keys.Key {
	text := func(field string) string {
		v, _ := p.Attrs.Get(field)
		return v.Text
	}
	for _, field := range x.By() {
		if v, _ := p.Attrs.Get(field); v.Kind != model.Text || v.Text == "" {
			return keys.Key{}
		}
	}
	var sort []string
	for _, field := range x.Sort {
		v, _ := p.Attrs.Get(field)
		form, err := sortForm(x.SortType(field), v)
		if err != nil || form == "" {
			return keys.Key{}
		}
		sort = append(sort, form)
	}
	return partition(p.Subject.Type, x, text, shardIndex(p.Subject.ID, x.Shards)).Entry(p.Subject.ID, sort)
}

// partition returns the partition of an index that has these texts.
func partition(subjectType string, x catalog.ProfileIndex, text func(field string) string,
	shard int) tablekeys.ProfilePartition {
	p := tablekeys.ProfilePartition{SubjectType: subjectType, Shard: shard}
	for _, field := range x.By() {
		p.By = append(p.By, field, text(field))
	}
	for _, field := range x.Sort {
		p.Sort = append(p.Sort, field, string(x.SortType(field)))
	}
	return p
}

// sortTimeLayout is the form of times in sort keys: of fixed width and in UTC, so that it sorts as times do.
const sortTimeLayout = "2006-01-02T15:04:05.000000000Z"

// errSortType is an error for each type, of a value that has another.
var errSortType = map[catalog.OrderType]error{
	catalog.TextOrder: errors.New("is not a string, but an index sorts by this field: send a string"),
	catalog.NumberOrder: errors.New("is not a number, but an index sorts by this field as a number: " +
		"send a number"),
	catalog.TimeOrder: errors.New("is not a time, but an index sorts by this field as a time: " +
		"send a string such as 2026-11-01T14:00:00Z"),
}

// sortForm returns a form of a value of a type whose byte order is the order of the values. It is "" for null
// and for an empty text, which no index has.
func sortForm(t catalog.OrderType, v model.Value) (string, error) {
	number, text := v.Kind == model.Number, v.Kind == model.Text
	switch {
	case v.Kind == model.Null, text && v.Text == "":
		return "", nil
	case number && t == catalog.NumberOrder, text && t == catalog.TextOrder:
		return ordervalue.Bound(v), nil
	case text && t == catalog.TimeOrder:
		at, err := time.Parse(time.RFC3339Nano, v.Text)
		if at = at.UTC(); err == nil && at.Year() >= 1 && at.Year() <= 9999 {
			return at.Format(sortTimeLayout), nil
		}
	}
	return "", errSortType[t]
}

// findIndex returns the index that has exactly the fields of a query.
func findIndex(indexes []catalog.ProfileIndex, by map[string]string) (catalog.ProfileIndex, error) {
	lacks := func(x catalog.ProfileIndex) []string {
		return lists.Filter(x.By(), func(field string) bool { _, has := by[field]; return !has })
	}
	for _, x := range indexes {
		if len(lacks(x)) == 0 && len(x.By()) == len(by) {
			return x, nil
		}
	}
	var all []string
	for _, x := range indexes {
		all = append(all, strings.Join(x.By(), " and "))
		if _, first := by[x.Field]; first && len(lacks(x)) > 0 {
			return x, fmt.Errorf("%w, or pass a value of %s too: the index is by %s", ErrNoIndex,
				strings.Join(lacks(x), " and of "), strings.Join(x.By(), " and "))
		}
	}
	if len(all) == 0 {
		return catalog.ProfileIndex{}, ErrNoIndex
	}
	return catalog.ProfileIndex{}, fmt.Errorf("%w, or use one that exists: by %s", ErrNoIndex,
		strings.Join(all, ", by "))
}

// request returns the request of a page of the query from an index, without partition, limit and position. No
// entry is between equal bounds.
func (q *ProfileQuery) request(x catalog.ProfileIndex) (l itemop.ListRequest, err error) {
	l = itemop.ListRequest{Index: x.Index, Newest: q.Descending}
	if err := q.fits(x); err != nil || !q.ranged() {
		return l, err
	}
	if l.From, err = sortBound(x, "from", q.From); err == nil {
		l.To, err = sortBound(x, "to", q.To)
	}
	if err == nil && l.To != "" && l.From > l.To {
		err = fmt.Errorf("%w: from %s is above to %s: exchange them, also for a descending list",
			model.ErrCondition, q.From, q.To)
	}
	if at := q.After.Position.Sort; err == nil && at != "" && (at < l.From || l.To != "" && at > l.To) {
		err = fmt.Errorf("%w: the cursor is outside of the bounds: pass Next of a page of the same query",
			model.ErrCondition)
	}
	return l, err
}

// ranged reports whether the query has a bound of the first sort field.
func (q *ProfileQuery) ranged() bool { return q.From.Kind != model.Null || q.To.Kind != model.Null }

// fits returns the error of a query that an index cannot serve.
func (q *ProfileQuery) fits(x catalog.ProfileIndex) error {
	for _, field := range slices.Sorted(maps.Keys(q.By)) {
		if q.By[field] == "" {
			return fmt.Errorf("%w: %s has no value, and profiles without one are in no index: pass a text",
				model.ErrCondition, field)
		}
	}
	switch {
	case q.Descending && x.Shards > 1:
		return fmt.Errorf("%w: the index is spread over %d shards and has no order: leave descending out",
			model.ErrCondition, x.Shards)
	case q.ranged() && len(x.Sort) == 0:
		return fmt.Errorf("%w: a range is of the first sort field, and the index by %s has none: "+
			"declare sort, or leave the bounds out", model.ErrCondition, strings.Join(x.By(), " and "))
	}
	return nil
}

// sortBound returns the sort key of a bound of an index's first sort field; "" for null, which is none.
func sortBound(x catalog.ProfileIndex, name string, v model.Value) (string, error) {
	if v.Kind == model.Null {
		return "", nil
	}
	t, given := x.SortType(x.Sort[0]), v
	switch {
	case v.Kind == model.Text && t == catalog.NumberOrder:
		if d, err := model.ParseDecimal(v.Text); err == nil {
			v = model.NumberValue(d)
		}
	case v.Kind == model.Text && t == catalog.TimeOrder:
		if _, err := time.Parse(time.RFC3339Nano, v.Text); err == nil {
			break
		}
		if at, err := times.Parse(v.Text); err == nil {
			v.Text = at.String()
		}
	}
	form, err := sortForm(t, v)
	if err != nil || form == "" {
		return "", fmt.Errorf("%w: %s is %s, and %s sorts the index as a %s: pass one, or leave the bound out",
			model.ErrCondition, name, given, x.Sort[0], t)
	}
	return tablekeys.ProfileBound(form), nil
}

// shardIndex returns the shard of a subject in an index with n shards, 1 to n, by FNV-1a of its id; it
// returns 0 if the index has no shards. Stored keys contain the shard, so this function must never change.
func shardIndex(id string, n int) int {
	if n < 2 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return int(h.Sum64()%uint64(n)) + 1
}
