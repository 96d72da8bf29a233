package tidemarkcdk

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	aggregating "github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	ingesting "github.com/tidemark-db/tidemark/internal/engine/ingest"
	querying "github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/ops/repair/hidevalue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// requestRights are the rights that each method of a store needs. A method is one request. A
// transaction needs the right to each of its parts.
var requestRights = map[string][]string{
	"Append":              {"dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
	"Put":                 {"dynamodb:PutItem"},
	"Quarantine":          {"dynamodb:PutItem"},
	"PutRotatingSecret":   {"dynamodb:PutItem"},
	"PurgeLocked":         {"dynamodb:GetItem"},
	"Row":                 {"dynamodb:GetItem"},
	"ReadRows":            {"dynamodb:BatchGetItem"},
	"Partition":           {"dynamodb:Query"},
	"EachEvent":           {"dynamodb:Query"},
	"Events":              {"dynamodb:Query"},
	"Rows":                {"dynamodb:Query"},
	"Shares":              {"dynamodb:Query"},
	"PutRow":              {"dynamodb:PutItem"},
	"AdvanceProgress":     {"dynamodb:PutItem"},
	"BeginProgress":       {"dynamodb:PutItem"},
	"PutGap":              {"dynamodb:PutItem"},
	"PutItem":             {"dynamodb:PutItem"},
	"PutInvalidations":    {"dynamodb:BatchWriteItem"},
	"StoredInvalidations": {"dynamodb:BatchGetItem"},
	"QueueConfig":         {"dynamodb:GetItem"},
	"ReadItems":           {"dynamodb:BatchGetItem"},
	"Invalidations":       {"dynamodb:Query"},
	"DeleteInvalidations": {"dynamodb:BatchWriteItem"},
	"AdvanceSweep":        {"dynamodb:PutItem"},
	"Sweeps":              {"dynamodb:Query"},
	"Latest":              {"dynamodb:GetItem"},
	"Profile":             {"dynamodb:GetItem"},
	"QueryIndex":          {"dynamodb:Query"},
	"GetItem":             {"dynamodb:GetItem"},
	"List":                {"dynamodb:Query"},
	"Commit":              {"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"},
	"Erase":               {"dynamodb:BatchWriteItem"},
	"PutAll":              {"dynamodb:PutItem"},
	"LatestBy":            {"dynamodb:Query"},
	"Memberships":         {"dynamodb:GetItem"},
	"Update":              {"dynamodb:UpdateItem"},
	"StreamState":         {"dynamodb:Query"},
	"PutBlocked":          {"dynamodb:PutItem"},
	"HasBlocked":          {"dynamodb:GetItem"},
	"DeleteBlocked":       {"dynamodb:DeleteItem"},
	"DeleteEvent":         {"dynamodb:DeleteItem"},
}

// stores are the parts of the table that each function's services use.
var stores = map[string][]reflect.Type{
	ingest: {
		reflect.TypeFor[ingesting.Store](), reflect.TypeFor[ingesting.QuarantineStore](),
		reflect.TypeFor[ingesting.RotatingSecretStore](), reflect.TypeFor[ingesting.PurgeLocks](),
		reflect.TypeFor[queue.Store](),
	},
	aggregate: {
		reflect.TypeFor[aggregating.Store](), reflect.TypeFor[aggregating.QuarantineStore](),
		reflect.TypeFor[aggregating.ProgressStore](),
		// optional interfaces of its store
		reflect.TypeFor[storage.EventVisitor](), reflect.TypeFor[aggregating.RowReader](),
		reflect.TypeFor[aggregating.ShareStore](),
		reflect.TypeFor[aggregating.InvalidationStore](), reflect.TypeFor[aggregating.HeartbeatStore](),
		reflect.TypeFor[aggregating.BlockedStore](),
		reflect.TypeFor[aggregating.SeriesStore](), reflect.TypeFor[aggregating.LatestStore](),
		reflect.TypeFor[alert.Store](), reflect.TypeFor[alert.StreamStates](),
	},
	query: {reflect.TypeFor[querying.Store](), reflect.TypeFor[lifecycle.Reader](), reflect.TypeFor[alert.Reader]()},
	manage: {
		reflect.TypeFor[lifecycle.Store](), reflect.TypeFor[alert.Store](), reflect.TypeFor[lifecycle.EventStore](),
		reflect.TypeFor[queue.Store](), reflect.TypeFor[hidevalue.Table](),
	},
	purge: {reflect.TypeFor[lifecycle.Store](), reflect.TypeFor[lifecycle.Eraser]()},
}

// A function has exactly the rights to the table that its services need.
func TestPrivileges_CoverTheRequestsOfTheServices(t *testing.T) {
	for function, used := range stores {
		var want []string
		for _, store := range used {
			for i := range store.NumMethod() {
				name := store.Method(i).Name
				if requestRights[name] == nil {
					t.Errorf("%s uses %s: add its rights to requestRights", function, name)
				}
				want = append(want, requestRights[name]...)
			}
		}
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), tableActions[function]); diff != "" {
			t.Errorf("%s (-needed +allowed):\n%s", function, diff)
		}
	}
}
