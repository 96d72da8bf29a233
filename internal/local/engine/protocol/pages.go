package protocol

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

type queryInput struct {
	TableName                 string
	IndexName                 string
	KeyConditionExpression    *string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]value
	ScanIndexForward          *bool
	ConsistentRead            bool
	Limit                     *int
	ExclusiveStartKey         attributes
	ReturnConsumedCapacity    string
	Select                    string
}

func query(s *Server, in *queryInput) (any, error) {
	read := pageRequest{
		table: in.TableName, index: in.IndexName, consistent: in.ConsistentRead, limit: in.Limit,
		after: in.ExclusiveStartKey, capacity: in.ReturnConsumedCapacity, selected: in.Select,
	}
	t, index, err := s.paged(&read)
	if err != nil {
		return nil, err
	}
	holders := newPlaceholders(in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	r, err := keyRange(in.KeyConditionExpression, holders, index.Partition, index.Sort)
	if err != nil {
		return nil, err
	}
	if err := holders.check(true); err != nil {
		return nil, err
	}
	r.Index, r.Newest = in.IndexName, in.ScanIndexForward != nil && !*in.ScanIndexForward
	if in.Limit != nil {
		r.Limit = *in.Limit
	}
	if r.After, err = t.position(in.ExclusiveStartKey, index, in.IndexName != ""); err != nil {
		return nil, err
	}
	if r.After != nil && !r.Contains(r.After) {
		return nil, invalid("The provided starting key is outside query boundaries based on provided conditions")
	}
	from := partition{index: in.IndexName, key: r.Partition}
	if t.limits.exhausted(from) {
		return nil, errThrottled
	}
	page, stored := t.Query(&r)
	if err := stored.Wait(); err != nil {
		return nil, err
	}
	t.limits.spend(from, readUnits(page.Bytes, in.ConsistentRead))
	return t.pageOutput(&read, index, page), nil
}

type scanInput struct {
	TableName                 string
	IndexName                 string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]value
	ConsistentRead            bool
	Limit                     *int
	ExclusiveStartKey         attributes
	ReturnConsumedCapacity    string
	Select                    string
}

func scan(s *Server, in *scanInput) (any, error) {
	read := pageRequest{
		table: in.TableName, index: in.IndexName, consistent: in.ConsistentRead, limit: in.Limit,
		after: in.ExclusiveStartKey, capacity: in.ReturnConsumedCapacity, selected: in.Select,
	}
	t, index, err := s.paged(&read)
	if err != nil {
		return nil, err
	}
	if err := newPlaceholders(in.ExpressionAttributeNames,
		in.ExpressionAttributeValues).check(false); err != nil {
		return nil, err
	}
	after, err := t.position(in.ExclusiveStartKey, index, in.IndexName != "")
	if err != nil {
		return nil, err
	}
	limit := 0
	if in.Limit != nil {
		limit = *in.Limit
	}
	page, stored := t.Scan(in.IndexName, after, limit)
	if err := stored.Wait(); err != nil {
		return nil, err
	}
	return t.pageOutput(&read, index, page), nil
}

// pageRequest has the parameters of every read of pages.
type pageRequest struct {
	table, index string
	consistent   bool
	limit        *int
	after        attributes
	capacity     string
	selected     string
}

// selections are the values of Select; none is the first.
var selections = []string{"", "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"}

// paged returns the table of a read, and the index or, without a name, the table's own key.
func (s *Server) paged(r *pageRequest) (*table, engine.Index, error) {
	if err := checkCapacity(r.capacity); err != nil {
		return nil, engine.Index{}, err
	}
	t, err := s.find(r.table)
	if err != nil {
		return nil, engine.Index{}, err
	}
	schema := t.Schema()
	index := engine.Index{Partition: schema.Partition, Sort: schema.Sort}
	if r.index != "" {
		var ok bool
		if index, ok = schema.Index(r.index); !ok {
			return nil, index, invalid("The table does not have the specified index: " + r.index)
		}
	}
	switch {
	case r.index != "" && r.consistent:
		return nil, index, invalid("Consistent reads are not supported on global secondary indexes")
	case r.limit != nil && *r.limit < 1:
		return nil, index, invalidAt("limit", strconv.Itoa(*r.limit),
			"Member must have value greater than or equal to 1")
	case !slices.Contains(selections, r.selected):
		return nil, index, invalidAt("select", r.selected,
			"Member must satisfy enum value set: ["+strings.Join(selections[1:], ", ")+"]")
	case r.selected != "" && r.selected != "ALL_ATTRIBUTES" &&
		(r.selected != "ALL_PROJECTED_ATTRIBUTES" || r.index == ""):
		return nil, index, unknown("Select " + r.selected)
	}
	return t, index, nil
}

// position returns the position of an ExclusiveStartKey; nil if there is none.
func (t *table) position(k attributes, index engine.Index, inIndex bool) (*engine.Position, error) {
	if k == nil {
		return nil, nil
	}
	schema := t.Schema()
	own := attributes{schema.Partition: k[schema.Partition]}
	if schema.Sort != "" {
		own[schema.Sort] = k[schema.Sort]
	}
	want := map[string]bool{schema.Partition: true, schema.Sort: schema.Sort != ""}
	if inIndex {
		want[index.Partition], want[index.Sort] = true, index.Sort != ""
	}
	for name, needed := range want {
		if v, ok := k[name]; needed && (!ok || v.Type != item.S) {
			return nil, invalid("The provided starting key is invalid")
		}
	}
	for name := range k {
		if !want[name] {
			return nil, invalid("The provided starting key is invalid")
		}
	}
	key, err := parseKey(&schema, own)
	if err != nil {
		return nil, invalid("The provided starting key is invalid: " + err.Error())
	}
	at := &engine.Position{Key: key}
	if inIndex {
		at.IndexPartition, at.Index = k[index.Partition].S, k[index.Sort].S
	}
	return at, nil
}

// pageOutput is the response of Query and Scan.
type pageOutput struct {
	items    []item.Item
	last     attributes // nil on the last page
	consumed *consumed
}

func (t *table) pageOutput(r *pageRequest, index engine.Index, page engine.Page) *pageOutput {
	units := readUnits(page.Bytes, r.consistent)
	out := &pageOutput{items: t.asReadPage(r, index, page.Items), consumed: t.consumed(r.capacity, units)}
	if page.Next == nil {
		return out
	}
	schema := t.Schema()
	out.last = attributes(schema.KeyItem(page.Next.Key))
	if r.index != "" {
		out.last[index.Partition] = item.Value{Type: item.S, S: page.Next.IndexPartition}
		if index.Sort != "" {
			out.last[index.Sort] = item.Value{Type: item.S, S: page.Next.Index}
		}
	}
	return out
}

func (o *pageOutput) appendTo(dst []byte) []byte {
	dst = append(dst, `{"Items":`...)
	dst = appendItems(dst, o.items)
	dst = append(dst, `,"Count":`...)
	dst = strconv.AppendInt(dst, int64(len(o.items)), 10)
	dst = append(dst, `,"ScannedCount":`...)
	dst = strconv.AppendInt(dst, int64(len(o.items)), 10)
	if o.last != nil {
		dst = appendItem(append(dst, `,"LastEvaluatedKey":`...), item.Item(o.last))
	}
	return append(o.consumed.appendTo(dst), '}')
}

func appendItems(dst []byte, items []item.Item) []byte {
	dst = append(dst, '[')
	for i, it := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendItem(dst, it)
	}
	return append(dst, ']')
}
