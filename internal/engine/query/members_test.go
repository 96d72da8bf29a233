package query_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// newGroup returns a fixture with two hours of the group berlin, and a request for its members in the first.
// In the first hour device n has n degrees, in the second device 11 has 99.
func newGroup(t *testing.T) (*fixture, query.Members) {
	w := newFixture(t, func(k *catalog.Kind) { k.Groups = []string{"site"} })
	group := w.kind.GroupKinds()[0]
	series := model.Series{Subject: model.Subject{Type: group.Subject.Name, ID: "berlin"}, Kind: group.Name}
	hour := func(start string, values map[int]int64) {
		row := rollup.Row{Key: rollup.Key{Series: series, Tier: tier.Hour.String(), Start: at(start)},
			Fold: *rollup.NewFold(group.Spec()), WrittenAt: now, V: 1}
		for n, value := range values {
			share := w.row(tier.Hour, 0, w.reading(at(start), fmt.Sprint(n), value, 0))
			share.Key.Member = tablekeys.Member(model.Subject{Type: "DEVICE", ID: fmt.Sprintf("d%02d", n)})
			row.AddRow(&share)
		}
		w.storeRow(row)
	}
	first := map[int]int64{}
	for n := range 12 {
		first[n] = int64(n)
	}
	hour("2026-04-20T11:00:00Z", first)
	hour("2026-04-20T12:00:00Z", map[int]int64{11: 99, 3: -1})
	q := query.Members{Measure: "temperature", Ranking: rollup.Ranking{By: rollup.ByMax}}
	q.Series, q.Unit = query.Series{Kind: group, Subject: "berlin"}, tier.Hour
	q.From, q.To = at("2026-04-20T11:00:00Z"), at("2026-04-20T12:00:00Z")
	return w, q
}

// ranked is two members as JSON.
func ranked(first string, a int, second string, b int) string {
	return fmt.Sprintf(`{"members":[{"member":%q,"value":%d},{"member":%q,"value":%d}],"places":10}`, first, a,
		second, b)
}

func TestMembers_AreTheFirstOfABucketAndOfARange(t *testing.T) {
	w, q := newGroup(t)
	q.Values = 2
	both := q
	both.To = at("2026-04-20T13:00:00Z")
	lowest := both
	lowest.Ranking = rollup.Ranking{By: rollup.ByMin, Lowest: true}
	mean := q
	mean.Ranking = rollup.Ranking{By: rollup.ByMean, Lowest: true}
	unknown := q
	unknown.Measure = "pressure"
	for name, c := range map[string]struct {
		q    query.Members
		want string
	}{
		"an hour":       {q, ranked("d11", 11, "d10", 10)},
		"two hours":     {both, ranked("d11", 99, "d10", 10)},
		"the lowest":    {lowest, ranked("d03", -1, "d00", 0)},
		"by the mean":   {mean, ranked("d00", 0, "d01", 1)},
		"of no measure": {unknown, `{"members":[],"places":10}`},
	} {
		ranks, total, err := w.query.Members(t.Context(), c.q)
		got, _ := json.Marshal(ranks)
		if err != nil || string(got) != c.want || !total.Exact {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

// A row without lists is of a release before them, or was too large: its members are not known.
func TestMembers_OfARowWithoutListsAreNull(t *testing.T) {
	w, q := newGroup(t)
	row := w.row(tier.Hour, 0, w.reading(at("2026-04-20T13:00:00Z"), "", 5, 0))
	row.Key.Series.Subject = model.Subject{Type: q.Kind.Subject.Name, ID: q.Subject}
	row.Key.Series.Kind = q.Kind.Name
	w.storeRow(row)
	q.To = at("2026-04-20T14:00:00Z")
	ranks, _, err := w.query.Members(t.Context(), q)
	if got, _ := json.Marshal(ranks); err != nil || string(got) != `{"members":null,"places":0}` {
		t.Errorf("%s, %v; want null", got, err)
	}
}

func TestMembers_AreRefusedWhereNoRowHasThem(t *testing.T) {
	w, q := newGroup(t)
	single, day := q, q
	range2, highestMin := q, q
	single.Series = query.Series{Kind: w.kind, Subject: "sensor_01"}
	day.Unit, day.Ranking.By = tier.Day, rollup.BySum
	range2.To, range2.Ranking.By = at("2026-04-20T13:00:00Z"), rollup.ByCount
	highestMin.Ranking.By = rollup.ByMin
	for _, c := range []struct {
		q    query.Members
		want error
	}{
		{single, query.ErrNoMembers}, {day, query.ErrOneBucket}, {range2, query.ErrOneBucket},
		{highestMin, query.ErrRanking},
	} {
		if _, _, err := w.query.Members(t.Context(), c.q); !errors.Is(err, c.want) {
			t.Errorf("%s of %s: %v, want %v", c.q.Ranking, c.q.Series, err, c.want)
		}
	}
}
