package dynamo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func hours(n int) (all []rollup.Key) {
	for i := range n {
		all = append(all, rollup.Key{Series: series, Tier: "hour", Start: noon + model.Time(i)*3600_000})
	}
	return all
}

func TestReadRows_ReturnsTheSameRowsAsRow(t *testing.T) {
	table := open(t)
	all := hours(itemop.MaxBatchReads)
	for i, key := range all {
		if i%3 == 0 {
			continue // absent
		}
		fold := rollup.NewFold(&rollup.Spec{})
		e := testEvents(i + 1)[i]
		fold.AddEvent(&e)
		row := rollup.Row{Key: key, Fold: *fold, Rev: rollup.Rev{byte(i + 1)}, V: item.Version, WrittenAt: noon}
		if result, err := table.PutRow(t.Context(), &row, rollup.Rev{}); err != nil || result != storage.Written {
			t.Fatal(result, err)
		}
	}
	rows, err := table.ReadRows(t.Context(), all)
	if err != nil || len(rows) != len(all) {
		t.Fatalf("%d rows of %d, %v", len(rows), len(all), err)
	}
	for _, key := range all {
		want, err := table.Row(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		got := rows[key]
		if (got == nil) != (want == nil) ||
			got != nil && (got.Rev != want.Rev || got.Digest != want.Digest || got.Key != key ||
				!cmp.Equal(got.Summary.Encode(nil), want.Summary.Encode(nil))) {
			t.Errorf("%s is %+v, want %+v", key.Start, got, want)
		}
	}
}

func TestReadRows_OmitsUnprocessedKeys(t *testing.T) {
	all := hours(3)
	sk := func(i int) string {
		return `{"pk":{"S":"` + keys.Row(all[i]).PK + `"},"sk":{"S":"` + keys.Row(all[i]).SK + `"}}`
	}
	var capacity dynamo.Capacity
	s := respondsWith(200, `{"Responses":{"tidemark":[`+sk(0)+`]},"UnprocessedKeys":{"tidemark":{"Keys":[`+sk(1)+
		`]}},"ConsumedCapacity":[{"CapacityUnits":1.5}]}`)
	rows, err := s.table(dynamo.WithCapacity(&capacity)).ReadRows(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	first, read := rows[all[0]]
	_, unread := rows[all[1]]
	absent, known := rows[all[2]]
	if !read || first == nil || first.Summary != nil || unread || !known || absent != nil {
		t.Errorf("rows %+v; want the first without summary because it is damaged, no second one, "+
			"and nil for the third", rows)
	}
	if units, _ := capacity.Units(); units != 1.5 {
		t.Errorf("%v read units, want 1.5", units)
	}
	request := s.onlyRequest(t)["RequestItems"].(map[string]any)["tidemark"].(map[string]any)
	if request["ConsistentRead"] != true || len(request["Keys"].([]any)) != 3 {
		t.Errorf("request %v, want three keys, strongly consistent", request)
	}
	if _, err := respondsWith(400, exception("ResourceNotFoundException")).table().ReadRows(t.Context(),
		all); err == nil || !strings.Contains(err.Error(), "name and region") {
		t.Errorf("error %v, want advice", err)
	}
}

// The keys and items that a batch did not process are returned, to be sent again.
func TestWrites_OfABatchReturnWhatWasNotProcessed(t *testing.T) {
	t.Parallel()
	all := []keys.Key{{PK: "a", SK: "1"}, {PK: "a", SK: "2"}, {PK: "a", SK: "3"}}
	s := respondsWith(200,
		`{"UnprocessedItems":{"tidemark":[{"DeleteRequest":{"Key":{"pk":{"S":"a"},"sk":{"S":"2"}}}}]}}`)
	left, result, err := s.table().Erase(t.Context(), all)
	if err != nil || result != storage.Written || !slices.Equal(left, all[1:2]) {
		t.Errorf("left %v, %v, %v; want the second", left, result, err)
	}
	var these []storage.Invalidation
	for _, key := range hours(3) {
		these = append(these, storage.FirstGeneration.Invalidation(noon, key))
	}
	second := tablekeys.Invalidation(these[1])
	s = respondsWith(200, `{"UnprocessedItems":{"tidemark":[{"PutRequest":{"Item":{"pk":{"S":"`+second.PK+
		`"},"sk":{"S":"`+second.SK+`"}}}}]}}`)
	unstored, result, err := s.table().PutInvalidations(t.Context(), these)
	if err != nil || result != storage.Written || !slices.Equal(unstored, these[1:2]) {
		t.Errorf("left %v, %v, %v; want the second", unstored, result, err)
	}
	s = respondsWith(500, exception("InternalServerError"))
	if unstored, result, err = s.table().PutInvalidations(t.Context(), these); err != nil ||
		result != storage.Unknown || len(unstored) != 3 {
		t.Errorf("without a response: left %v, %v, %v; want all", unstored, result, err)
	}
}
