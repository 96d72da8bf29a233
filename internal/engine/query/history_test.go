package query_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestHistory_RangeIsHalfOpen(t *testing.T) {
	w := newFixture(t, nil)
	from, to := now-2*hour, now-hour
	for _, when := range []model.Time{from - 1, from, to - 1, to} {
		w.put(w.reading(when, "", 1, 0))
	}
	q := query.History{Series: w.series(), From: from, To: to}
	want := []model.Order{{At: from}, {At: to - 1}}
	if got := w.orders(q); !slices.Equal(got, want) {
		t.Errorf("oldest first: got %v, want %v", got, want)
	}
	q.Newest = true
	slices.Reverse(want)
	if got := w.orders(q); !slices.Equal(got, want) {
		t.Errorf("newest first: got %v, want %v", got, want)
	}
}

func TestHistory_ReadsOnlyItsStream(t *testing.T) {
	w := newFixture(t, nil)
	for _, stream := range []string{"", "status", "status2"} {
		e := w.reading(now-hour, stream, 1, 0)
		e.Series.Stream = stream
		w.put(e)
	}
	q := w.all()
	q.Stream = "status"
	if got, want := w.orders(q), []model.Order{{At: now - hour, ID: "status"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Readers do not see an event that has expired but that TTL has not removed yet. Folds and the
// check of identities still do.
func TestHistory_ExpiredEventsAreHiddenFromReadersOnly(t *testing.T) {
	w := newFixture(t, nil)
	atExpiry := w.reading(now-2*hour, "at its expiry", 1, now.Seconds())
	unexpired := w.reading(now-2*hour, "not expired", 1, now.Seconds()+1)
	w.put(atExpiry)
	w.put(unexpired)

	if got, want := w.orders(w.all()), []model.Order{unexpired.Order}; !slices.Equal(got, want) {
		t.Errorf("readers see %v, want %v", got, want)
	}
	var writers aggregate.Store = w.table
	page, err := writers.Events(context.Background(),
		storage.Range{Series: unexpired.Series, From: model.MinTime, To: model.MaxTime})
	requireNoError(t, err)
	if len(page.Events) != 2 {
		t.Errorf("folds see %d events, want 2", len(page.Events))
	}
	stored, err := w.table.Put(context.Background(), atExpiry)
	requireNoError(t, err)
	if stored.Result != storage.ConditionFailed || stored.Stored[0] == nil {
		t.Errorf("append of the expired event again: %v, want its condition to fail", stored.Result)
	}
}

func TestHistory_APageIsOneRequestEvenIfItIsShort(t *testing.T) {
	w := newFixture(t, nil)
	for i := range model.Time(5) {
		w.put(w.reading(now-hour+i, "", 1, now.Seconds())) // expired
	}
	w.put(w.reading(now, "", 1, 0))

	q := w.all()
	q.Limit = 3
	first, err := w.query.History(context.Background(), q)
	requireNoError(t, err)
	if len(first.Events) != 0 || first.Next == "" || w.store.requests.Load() != 1 {
		t.Fatalf("first page: %d events, next %q, %d requests; want an empty page with a next one, by one request",
			len(first.Events), first.Next, w.store.requests.Load())
	}
	q.Cursor = first.Next
	second, err := w.query.History(context.Background(), q)
	requireNoError(t, err)
	if len(second.Events) != 1 || second.Events[0].At != now || w.store.requests.Load() != 2 {
		t.Errorf("second page: %v by %d requests in all; want the unexpired event by two", second.Events,
			w.store.requests.Load())
	}
}

func TestHistory_LimitOfAnIterationCountsVisibleEvents(t *testing.T) {
	w := newFixture(t, nil)
	for i := range model.Time(10) {
		w.put(w.reading(now-hour+i, "", 1, now.Seconds()*int64(i%2))) // every other one expired
	}
	q := w.all()
	q.Limit = 3
	if got, want := w.orders(q),
		[]model.Order{{At: now - hour}, {At: now - hour + 2}, {At: now - hour + 4}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHistory_SkipsItemsWithUnknownKeys(t *testing.T) {
	w := newFixture(t, nil)
	first, last := w.reading(now-hour, "", 1, 0), w.reading(now, "", 1, 0)
	w.put(first)
	w.put(last)
	for i := range 3 { // in the range by its bytes, but not a valid key
		foreign := item.FromEvent(&first)
		sk := keys.Event(first.Key()).SK + fmt.Sprintf("#odd#%d", i)
		foreign[keys.AttrSK] = item.Value{Type: item.S, S: sk}
		requireNoError(t, w.table.PutItem(context.Background(), foreign))
	}
	q := w.all()
	q.Limit = 1
	var got []model.Order
	for {
		page, err := w.query.History(context.Background(), q)
		requireNoError(t, err)
		for _, e := range page.Events {
			got = append(got, e.Order)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if want := []model.Order{first.Order, last.Order}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHistory_AnUnreadableEventIsReturnedAsUnreadable(t *testing.T) {
	w := newFixture(t, nil)
	e := w.reading(now, "", 1, 0)
	damaged := item.FromEvent(&e)
	delete(damaged, tablekeys.AttrHash)
	requireNoError(t, w.table.PutItem(context.Background(), damaged))
	page, err := w.query.History(context.Background(), w.all())
	requireNoError(t, err)
	if len(page.Events) != 1 || !page.Events[0].Unreadable {
		t.Errorf("got %+v, want one unreadable event", page.Events)
	}
}

func TestHistory_RejectsInvalidRequests(t *testing.T) {
	w := newFixture(t, nil)
	for name, c := range map[string]struct {
		change func(*query.History)
		want   error
	}{
		"inverted range": {func(q *query.History) { q.From, q.To = now, now-1 }, query.ErrRange},
		"empty range":    {func(q *query.History) { q.From, q.To = now, now }, query.ErrRange},
		"negative limit": {func(q *query.History) { q.Limit = -1 }, query.ErrLimit},
		"no subject":     {func(q *query.History) { q.Subject = "" }, query.ErrSeries},
		"endless id":     {func(q *query.History) { q.Subject = string(make([]byte, 3000)) }, query.ErrSeries},
	} {
		q := w.all()
		c.change(&q)
		if _, err := w.query.History(context.Background(), q); !errors.Is(err, c.want) {
			t.Errorf("%s: page: %v, want %v", name, err, c.want)
		}
		for _, err := range w.query.EachEvent(context.Background(), q) {
			if !errors.Is(err, c.want) {
				t.Errorf("%s: iteration: %v, want %v", name, err, c.want)
			}
		}
	}
	if n := w.store.requests.Load(); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

// With any limits, direction, number of shards and expired events, the pages return each event of
// the range exactly once.
func TestHistory_PagesReturnEachEventOfTheRangeOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newFixture(t, shards(rapid.IntRange(1, 4).Draw(t, "shards")))
		q := w.all()
		q.From = now + model.Time(rapid.IntRange(-2, 8).Draw(t, "from"))
		q.To = q.From + model.Time(rapid.IntRange(1, 12).Draw(t, "length"))
		q.Newest = rapid.Bool().Draw(t, "newest")
		want := w.fill(t, q)
		limits := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 4).Draw(t, "limits")

		var got []model.Order
		for i := 0; ; i++ {
			q.Limit = limits[i%len(limits)]
			page, err := w.query.History(context.Background(), q)
			if err != nil {
				t.Fatalf("page %d: %v", i, err)
			}
			if q.Limit > 0 && len(page.Events) > q.Limit {
				t.Fatalf("page %d holds %d events, limit %d", i, len(page.Events), q.Limit)
			}
			for _, e := range page.Events {
				got = append(got, e.Order)
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
			if i > 200 {
				t.Fatalf("no end after %d pages", i)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("all pages (-want +got):\n%s", diff)
		}
		q.Cursor, q.Limit = "", rapid.IntRange(0, 10).Draw(t, "limit of the iteration")
		if q.Limit > 0 {
			want = want[:min(q.Limit, len(want))]
		}
		if diff := cmp.Diff(want, w.orders(q)); diff != "" && len(want) > 0 {
			t.Fatalf("iteration (-want +got):\n%s", diff)
		}
	})
}

// fill stores events around the range of q, some of them expired, and returns what readers of q
// must see.
func (w *fixture) fill(t *rapid.T, q query.History) (want []model.Order) {
	seen := map[model.Order]bool{}
	for range rapid.IntRange(0, 40).Draw(t, "events") {
		order := model.Order{
			At: now + model.Time(rapid.IntRange(-4, 16).Draw(t, "at")),
			ID: rapid.SampledFrom([]string{"", "a", "b", "#", "~"}).Draw(t, "id"),
		}
		if seen[order] {
			continue
		}
		seen[order] = true
		expiresAt := rapid.SampledFrom([]int64{0, 1, now.Seconds(), now.Seconds() + 1}).Draw(t, "expires")
		w.put(w.reading(order.At, order.ID, 1, expiresAt))
		if unexpired := expiresAt == 0 ||
			expiresAt > now.Seconds(); unexpired && q.From <= order.At && order.At < q.To {
			want = append(want, order)
		}
	}
	slices.SortFunc(want, model.Order.Compare)
	if q.Newest {
		slices.Reverse(want)
	}
	return want
}

func TestLatest_ReturnsTheNewestItemOfAllShards(t *testing.T) {
	w := newFixture(t, shards(3))
	series := w.series()
	latest, err := w.query.Latest(context.Background(), series, true)
	if latest != nil || err != nil {
		t.Fatalf("before any append: %v, %v; want nil", latest, err)
	}
	for i, when := range []model.Time{now - 2, now, now - 1} {
		c := model.Latest{
			Series:  model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING", Shard: i + 1},
			Ordered: i != 0, Order: model.Order{At: when},
		}
		requireNoError(t, w.table.PutItem(context.Background(), item.FromLatest(&c)))
	}
	latest, err = w.query.Latest(context.Background(), series, true)
	requireNoError(t, err)
	if latest == nil || latest.At != now || latest.Series.Shard != 0 {
		t.Errorf("got %+v, want the item at %s, without a shard", latest, now)
	}
}

func TestLatest_OfAKindWithoutLatestItemIsAnError(t *testing.T) {
	w := newFixture(t, func(k *catalog.Kind) { k.Latest = catalog.NoLatest })
	if _, err := w.query.Latest(context.Background(), w.series(), false); !errors.Is(err, query.ErrNoLatest) {
		t.Errorf("got %v, want %v", err, query.ErrNoLatest)
	}
}
