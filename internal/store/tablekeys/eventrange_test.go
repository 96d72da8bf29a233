package tablekeys_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// An event is within the bounds exactly if its time is in the range, and in the first and the
// last millisecond its id too.
func TestEventRange_BoundsTheIDsOfTheFirstAndLastMillisecond(t *testing.T) {
	t.Parallel()
	ids := rapid.StringMatching(`[a-c#% ]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		from := model.Time(rapid.IntRange(0, 2).Draw(t, "from"))
		r := storage.Range{
			Series: model.Series{Kind: "SCORE"}, From: from, To: from + model.Time(rapid.IntRange(1, 3).Draw(t, "length")),
			FirstID: ids.Draw(t, "first"), LastID: ids.Draw(t, "last"),
		}
		if r.To == r.From+1 && r.LastID != "" && r.LastID < r.FirstID {
			return // nothing is in the range; the bounds hold at most one key
		}
		o := model.Order{At: model.Time(rapid.IntRange(0, 5).Draw(t, "at")), ID: ids.Draw(t, "id")}
		want := o.At >= r.From && o.At < r.To && (o.At > r.From || o.ID >= r.FirstID) &&
			(o.At < r.To-1 || r.LastID == "" || o.ID <= r.LastID)
		lo, hi := tablekeys.EventRange(&r)
		sk := keys.Event(model.EventKey{Series: r.Series, Order: o}).SK
		if got := lo <= sk && sk <= hi; got != want {
			t.Fatalf("%+v in %+v: %t, want %t", o, r, got, want)
		}
	})
}
