package dynamo_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Writes depend on what these reads return, or their callers asked for consistency.
var consistentReads = map[string]func(context.Context, *dynamo.Table) error{
	"Row": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.Row(ctx, rollup.Key{Series: series, Tier: "hour", Start: noon})
		return err
	},
	"Latest": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.Latest(ctx, series, true)
		return err
	},
	"Profile": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.Profile(ctx, series.Subject, true)
		return err
	},
	"Events": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.Events(ctx, storage.Range{Series: series, From: noon, To: noon + 1, Consistent: true})
		return err
	},
	"Rows": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.Rows(ctx, tier.Hour, storage.Range{Series: series, From: noon, To: noon + 1, Consistent: true})
		return err
	},
	"GetItem": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.GetItem(ctx, eventKey())
		return err
	},
	"Scan": func(ctx context.Context, t *dynamo.Table) error {
		_, _, err := t.Scan(ctx, keys.Key{})
		return err
	},
	"Partition": func(ctx context.Context, t *dynamo.Table) error {
		_, _, err := t.Partition(ctx, eventKey().PK, keys.Key{})
		return err
	},
	"List": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.List(ctx, itemop.ListRequest{Partition: eventKey().PK})
		return err
	},
	"Invalidations": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.Invalidations(ctx, storage.QueueShard{}, noon, "")
		return err
	},
	"Sweeps": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.Sweeps(ctx)
		return err
	},
	"StreamState": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.StreamState(ctx)
		return err
	},
	"QueueConfig": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.QueueConfig(ctx)
		return err
	},
	"KindConfig": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.KindConfig(ctx, series.Kind)
		return err
	},
	"PurgeLocked": func(ctx context.Context, t *dynamo.Table) error {
		_, err := t.PurgeLocked(ctx, series.Subject)
		return err
	},
}

func TestInvalidations_SayWhereTheNextPageBegins(t *testing.T) {
	page, err := respondsWith(200,
		`{"Items": [], "LastEvaluatedKey": {"pk": {"S": "a"}, "sk": {"S": "b"}}}`).table().Invalidations(t.Context(), storage.QueueShard{}, noon, "")
	if err != nil || page.Next != "b" {
		t.Errorf("the next page begins after %q, %v; want b", page.Next, err)
	}
	s := respondsWith(200, `{}`)
	if page, err = s.table().Invalidations(t.Context(), storage.QueueShard{}, noon, "b"); err != nil ||
		page.Next != "" {
		t.Errorf("after the last page there is one after %q, %v", page.Next, err)
	}
	if from, _ := s.onlyRequest(t)["ExclusiveStartKey"].(map[string]any); fmt.Sprint(from["sk"]) != "map[S:b]" {
		t.Errorf("the request begins at %v, want after b", from)
	}
}

func TestReads_ThatWritesDependOnAreStronglyConsistent(t *testing.T) {
	for name, read := range consistentReads {
		s := respondsWith(200, `{}`)
		if err := read(t.Context(), s.table()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s.onlyRequest(t)["ConsistentRead"] != true {
			t.Errorf("%s sends ConsistentRead %v, want true", name, s.requests[0]["ConsistentRead"])
		}
	}
}
