package patterns

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

// dataModel returns docs/inside/tidemark-data-model.json: the definition of the table, with some
// items of each class, in the format of NoSQL Workbench.
func dataModel(ctx context.Context) (string, error) {
	_, table, err := seeded(ctx)
	if err != nil {
		return "", err
	}
	items, err := scanned(ctx, table)
	if err != nil {
		return "", err
	}
	samples := distinctSamples(items)
	d := dynamo.Standard()
	var indexes []any
	for _, x := range d.Indexes {
		indexes = append(indexes, map[string]any{
			"IndexName": x.Name, "KeyAttributes": keyAttributes(x.Partition, x.Sort),
			"Projection": map[string]any{"ProjectionType": "ALL"},
		})
	}
	text, err := json.MarshalIndent(map[string]any{
		"ModelName": "Tidemark",
		"ModelMetadata": map[string]any{
			"Author": "Tidemark", "DateCreated": "Apr 20, 2026, 02:30 PM", "DateLastModified": "Apr 20, 2026, 02:30 PM",
			"Description": "Time-series in one table: latest items, events, rollups and profiles. docs/inside/TABLE.md describes the format.",
			"AWSService":  "Amazon DynamoDB", "Version": "3.0",
		},
		"DataModel": []any{map[string]any{
			"TableName":              "tidemark",
			"KeyAttributes":          keyAttributes(d.Partition, d.Sort),
			"NonKeyAttributes":       nonKeys(d, samples),
			"GlobalSecondaryIndexes": indexes,
			"TableData":              samples,
			"DataAccess":             map[string]any{"MySql": map[string]any{}},
			"BillingMode":            d.Billing,
		}},
	}, "", "  ")
	return string(text) + "\n", err
}

func keyAttributes(partition, sort string) map[string]any {
	return map[string]any{
		"PartitionKey": map[string]any{"AttributeName": partition, "AttributeType": "S"},
		"SortKey":      map[string]any{"AttributeName": sort, "AttributeType": "S"},
	}
}

// scanned returns all items of the table in the order of their keys.
func scanned(ctx context.Context, table *memory.Table) (all []item.Item, err error) {
	for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
		var page []item.Item
		if page, after, err = table.Scan(ctx, after); err != nil {
			return nil, err
		}
		all = append(all, page...)
	}
	slices.SortFunc(all, func(a, b item.Item) int {
		return cmp.Or(strings.Compare(a.Key().PK, b.Key().PK), strings.Compare(a.Key().SK, b.Key().SK))
	})
	return all, nil
}

// perClass is the number of items shown for each class and kind.
const perClass = 2

type attributes = map[string]map[string]any

// distinctSamples returns the first items of each class.
func distinctSamples(items []item.Item) (samples []attributes) {
	seen := map[string]int{}
	for _, it := range items {
		k := it.Key()
		class, rest, _ := strings.Cut(k.SK, "#")
		if of, _, ok := strings.Cut(rest, "#"); ok && class != tablekeys.ClassVersion {
			class += "#" + of
		}
		class = k.PK[:strings.IndexByte(k.PK+"#", '#')] + " " + class
		if seen[class]++; seen[class] <= perClass {
			samples = append(samples, itemAttributes(it))
		}
	}
	return samples
}

// minted are the random attributes, shown as zeros so that the file does not change.
var minted = map[string]bool{tablekeys.AttrRev: true, tablekeys.AttrGeneration: true}

func itemAttributes(it item.Item) attributes {
	all := attributes{}
	for name, v := range it {
		if minted[name] {
			v.B = make([]byte, len(v.B))
		}
		switch v.Type {
		case item.S:
			all[name] = map[string]any{"S": v.S}
		case item.N:
			all[name] = map[string]any{"N": v.S}
		case item.B:
			all[name] = map[string]any{"B": base64.StdEncoding.EncodeToString(v.B)}
		case item.Bool:
			all[name] = map[string]any{"BOOL": v.Bool}
		default:
			all[name] = map[string]any{"NULL": true}
		}
	}
	return all
}

// nonKeys returns the other attributes of the samples, sorted by name.
func nonKeys(d dynamo.Definition, samples []attributes) (all []any) {
	types := map[string]string{}
	for _, s := range samples {
		for name, v := range s {
			for kind := range v {
				types[name] = kind
			}
		}
	}
	delete(types, d.Partition)
	delete(types, d.Sort)
	var names []string
	for name := range types {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		all = append(all, map[string]any{"AttributeName": name, "AttributeType": types[name]})
	}
	return all
}
