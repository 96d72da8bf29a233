package main

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	aggregating "github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	ingesting "github.com/tidemark-db/tidemark/internal/ingest"
	querying "github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// requests are the methods of the stores, each one request, and the right that it
// takes. A transaction takes the right to each of its parts.
var requests = map[string][]string{
	"Append":     {"dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
	"Put":        {"dynamodb:PutItem"},
	"Quarantine": {"dynamodb:PutItem"},
	"PutSalt":    {"dynamodb:PutItem"},
	"Gated":      {"dynamodb:GetItem"},
	"Row":        {"dynamodb:GetItem"},
	"ReadRows":   {"dynamodb:BatchGetItem"},
	"EachEvent":  {"dynamodb:Query"},
	"Events":     {"dynamodb:Query"},
	"Rows":       {"dynamodb:Query"},
	"PutRow":     {"dynamodb:PutItem"},
	"Advance":    {"dynamodb:PutItem"},
	"KeepGap":    {"dynamodb:PutItem"},
	"Current":    {"dynamodb:GetItem"},
	"Profile":    {"dynamodb:GetItem"},
	"ByValue":    {"dynamodb:Query"},
	"GetItem":    {"dynamodb:GetItem"},
	"List":       {"dynamodb:Query"},
	"Commit":     {"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
	"Erase":      {"dynamodb:BatchWriteItem"},
	"PutAll":     {"dynamodb:PutItem"},
	"Currents":   {"dynamodb:Query"},
}

// stores are what the services of each function ask of the table.
var stores = map[string][]reflect.Type{
	ingest: {
		reflect.TypeFor[ingesting.Store](), reflect.TypeFor[ingesting.Quarantine](),
		reflect.TypeFor[ingesting.SaltStore](), reflect.TypeFor[ingesting.Gates](),
	},
	aggregate: {
		reflect.TypeFor[aggregating.Store](), reflect.TypeFor[aggregating.Quarantine](), reflect.TypeFor[aggregating.Marks](),
		reflect.TypeFor[aggregating.EventReader](), reflect.TypeFor[aggregating.RowReader](), // what its table is besides
		reflect.TypeFor[alert.Store](),
	},
	query: {reflect.TypeFor[querying.Store](), reflect.TypeFor[lifecycle.Reader](), reflect.TypeFor[alert.Reader]()},
	purge: {reflect.TypeFor[lifecycle.Store](), reflect.TypeFor[lifecycle.Eraser](), reflect.TypeFor[alert.Store]()},
}

// A function may send to the table what its services ask of it: not less, and not
// more.
func TestPrivileges_AreTheRequestsThatTheServicesSend(t *testing.T) {
	for function, asked := range stores {
		var want []string
		for _, store := range asked {
			for i := range store.NumMethod() {
				name := store.Method(i).Name
				if requests[name] == nil {
					t.Errorf("%s asks for %s: say in requests which right that takes", function, name)
				}
				want = append(want, requests[name]...)
			}
		}
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), tableVerbs[function]); diff != "" {
			t.Errorf("%s (-asked +allowed):\n%s", function, diff)
		}
	}
}
