package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// members is how many devices the group of the tests has: more than a list shows.
const members = 12

// putGroup writes a row of the group berlin, five hours old, and its entry in the list of series, as
// aggregate does an hour after the first events of its members: the tests do not wait for it.
func putGroup(t *testing.T, s *stack.Stack) {
	t.Helper()
	readings := iot.Readings
	readings.Groups = []string{"site"}
	kinds, err := catalog.New(readings)
	if err != nil {
		t.Fatal(err)
	}
	group := &kinds.Kinds[1]
	hour := tier.Hour.BucketAt(model.NewTime(machine.Now().Add(-5 * time.Hour)))
	fold := rollup.NewFold(group.Spec())
	for n := range members {
		device := model.Subject{Type: "DEVICE", ID: fmt.Sprintf("berlin_%02d", n)}
		e := model.Event{
			Series: model.Series{Subject: device, Kind: readings.Name},
			Order:  model.Order{At: hour.Start.Add(time.Duration(n) * time.Minute)},
			Attrs: model.Attrs{
				{Name: "temperature", Value: model.NumberValue(model.NewDecimal(int64(20 + n)))},
			},
		}
		share := rollup.Row{Key: rollup.Key{Series: e.Series, Tier: "hour", Start: hour.Start,
			Member: tablekeys.Member(device)}, Fold: *rollup.NewFold(group.Spec()), V: item.Version}
		share.AddEvent(&e)
		if err := item.FoldRow(fold, &share); err != nil {
			t.Fatal(err)
		}
	}
	series := group.GroupSeries("berlin", model.Series{})
	client, err := dynamo.NewClient(t.Context(), stack.Region, s.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	row := &rollup.Row{Key: rollup.Key{Series: series, Tier: "hour", Start: hour.Start}, Fold: *fold,
		Rev: rollup.Rev{1}, WrittenAt: model.NewTime(machine.Now())}
	table := dynamo.New(client, s.Table)
	if result, err := table.PutRow(t.Context(), row, rollup.Rev{}); err != nil || result != storage.Written {
		t.Fatal(result, err)
	}
	listed := storage.ListedSeries{Series: series, First: hour.Start, Last: hour.Start}
	if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
		t.Fatal(err)
	}
}
