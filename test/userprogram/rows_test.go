package userprogram

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

func TestEntity_EqualTimesAreOrderedByID(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		readings := open(t, s, iot.Readings)
		for _, step := range []struct {
			id   string
			want model.Outcome
		}{{"b", model.Applied}, {"a", model.Late}, {"b", model.Duplicate}, {"c", model.Applied}, {"", model.Late}} {
			r := at(1)
			r.ID = step.id
			appended(t, readings, r, step.want)
		}
		latest, err := readings.Latest(context.Background(), sensor)
		if err != nil || latest.ID != "c" {
			t.Errorf("latest %+v, %v; want the greatest id", latest, err)
		}
		var ids []string
		for r, err := range readings.History(context.Background(), sensor) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, r.ID)
		}
		if want := []string{"", "a", "b", "c"}; !slices.Equal(ids, want) {
			t.Errorf("history %q, want %q", ids, want)
		}
	})
}

func TestEntity_CreatedIsTheTimeOfTheFirstAppend(t *testing.T) {
	table := timeseriestest.New(t, now)
	readings, err := timeseries.Open[reading](table, iot.Readings, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	for m := range 3 {
		appended(t, readings, at(m), model.Applied)
		table.Advance(time.Hour)
	}
	latest, err := readings.Latest(context.Background(), sensor)
	if err != nil || !latest.Created.Equal(now) || !latest.At.Equal(at(2).At) {
		t.Errorf("latest %+v, %v; want created %s", latest, err, now)
	}
}

func TestEntity_StreamsOfASubjectAreApartAndCanBeMerged(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		readings, streams := open(t, s, iot.Readings), []string{"", "out", "outside", "out#side", "out%side"}
		var all []timeseries.Key
		for m, stream := range streams {
			r := at(m)
			r.Stream = stream
			appended(t, readings, r, model.Applied)
			all = append(all, timeseries.Key{Subject: sensor.Subject, Stream: stream})
		}
		read := func(keys ...timeseries.Key) (found []float64) {
			t.Helper()
			for r, err := range readings.MergedHistory(context.Background(), keys, timeseries.Newest()) {
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, r.Temperature)
			}
			return found
		}
		for m, key := range all {
			if got := read(key); !slices.Equal(got, []float64{float64(m)}) {
				t.Errorf("stream %q: %v", key.Stream, got)
			}
		}
		if got := read(all...); !slices.Equal(got, []float64{4, 3, 2, 1, 0}) {
			t.Errorf("all streams: %v", got)
		}
	})
}

// An append and an item of the program are both stored, or none of them.
func TestEntity_AnAppendIsPartOfTheProgramsTransaction(t *testing.T) {
	table := localTable(t)
	ctx, readings := context.Background(), open(t, table, iot.Readings)
	client, err := dynamo.NewClient(ctx, "eu-west-1", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	name, absent := table.Name(), "attribute_not_exists(pk)"
	send := func(m int, order string) timeseries.Result[reading] {
		t.Helper()
		part, err := readings.TransactItems(at(m))
		if err != nil {
			t.Fatal(err)
		}
		items, err := table.TransactItems(part.Transaction)
		if err != nil {
			t.Fatal(err)
		}
		mine := types.TransactWriteItem{Put: &types.Put{TableName: &name, ConditionExpression: &absent,
			Item: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: "ORDER#" + order}, "sk": &types.AttributeValueMemberS{Value: "ORDER"},
			}}}
		_, failure := client.TransactWriteItems(ctx,
			&dynamodb.TransactWriteItemsInput{TransactItems: append(items, mine)})
		stored, err := table.TransactResult(part.Transaction, 0, failure)
		if err != nil {
			t.Fatal(err)
		}
		result, err := part.Result(stored)
		if !fits(result.Outcome, err) {
			t.Fatal(err)
		}
		return result
	}
	for _, step := range []struct {
		minute int
		order  string
		want   model.Outcome
	}{{1, "a", model.Applied}, {2, "a", model.Conflict}, {0, "b", model.Stale}, {2, "b", model.Applied}} {
		if got := send(step.minute, step.order); got.Outcome != step.want {
			t.Errorf("minute %d with order %s: %s, want %s", step.minute, step.order, got.Outcome, step.want)
		}
	}
	if got := temperatures(t, readings); !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("history %v, want what was applied", got)
	}
}

func TestPattern_HierarchiesAndRelations(t *testing.T) {
	berlin, err := keys.Hierarchy("EUROPE", "DE", "BERLIN")
	below, prefixErr := keys.HierarchyPrefix("EUROPE", "DE")
	if err != nil || prefixErr != nil || !strings.HasPrefix(berlin, below) ||
		strings.HasPrefix("EUROPE#DEN#X", below) {
		t.Errorf("%s below %s: %v, %v", berlin, below, err, prefixErr)
	}
	if _, err := keys.Hierarchy("EUROPE", ""); err == nil {
		t.Error("an empty level: no error")
	}
	user, err := keys.Entity("USER", "alice")
	edge, edgeErr := keys.Edge(user, "GROUP#staff")
	if want := (keys.Key{PK: "GROUP#staff", SK: "USER#alice"}); err != nil || edgeErr != nil ||
		edge.Reverse() != want {
		t.Errorf("reverse of %+v: %+v, want %+v", edge, edge.Reverse(), want)
	}
}

// folding returns a kind and what brings its rollups up to date. On DynamoDB, where no function runs
// here, reads fold them.
func folding(s store) (catalog.Kind, func(...catalog.Kind)) {
	kind := iot.Readings
	if table, ok := s.(*timeseriestest.Table); ok {
		return kind, table.Fold
	}
	kind.Retention = tier.Standard().Defer()
	return kind, func(...catalog.Kind) {}
}

func TestPattern_ReadsMergeTheShardsOfASeries(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		kind, fold := folding(s)
		kind.Shards = 4
		readings, want := open(t, s, kind), []float64(nil)
		for m := range 20 {
			r := at(m)
			r.ID = fmt.Sprint("r", m)
			appended(t, readings, r, model.Applied)
			want = append(want, float64(m))
		}
		if got := temperatures(t, readings); !slices.Equal(got, want) {
			t.Errorf("history %v, want %v", got, want)
		}
		fold(readings.Kind())
		hours, err := readings.Rollups(context.Background(), sensor, tier.Hour)
		if err != nil || len(hours.Rollups) != 1 || hours.Rollups[0].Measure("temperature").Count != 20 {
			t.Errorf("hours %+v, %v; want one with 20 values", hours, err)
		}
	})
}

func TestPattern_HourlyRollups(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		kind, fold := folding(s)
		readings := open(t, s, kind)
		for _, m := range []int{50, 10, 40, 60} { // 60 is in the next hour
			if _, err := readings.Append(context.Background(), at(m)); err != nil {
				t.Fatal(err)
			}
		}
		fold(readings.Kind())
		hours, err := readings.Rollups(context.Background(), sensor, tier.Hour)
		if err != nil || len(hours.Rollups) != 2 {
			t.Fatalf("%d hours, %v; want 2", len(hours.Rollups), err)
		}
		m := hours.Rollups[0].Measure("temperature")
		if got := fmt.Sprint(m.Count, " ", m.Sum, " ", m.Min, " ", m.Max); got != "3 100 10 50" {
			t.Errorf("count, sum, least and greatest: %s", got)
		}
	})
}

func TestLifecycle_DeletedProfilesAreListedAndExpire(t *testing.T) {
	clock := now
	table := timeseriestest.New(t, now)
	users := &lifecycle.Service{
		Store: table, Now: func() model.Time { return model.NewTime(clock) },
		Profile: func(string) catalog.Profile { return catalog.Profile{DeletedFor: 48 * time.Hour} },
	}
	for _, s := range []model.Subject{alice, bob} {
		must(t, lifecycle.Created)(users.Create(context.Background(), s, fields(s.ID)))
		clock = clock.Add(time.Minute)
		must(t, lifecycle.Deleted)(users.Delete(context.Background(), s, 0))
	}
	page, err := users.ListDeleted(context.Background(), "USER", lifecycle.Cursor{}, 10)
	if err != nil || len(page.Profiles) != 2 || page.Profiles[0].Subject != bob ||
		page.Profiles[0].DeletedAt != model.NewTime(clock) {
		t.Errorf("deleted: %+v, %v; want the latest first", page.Profiles, err)
	}
	clock = clock.Add(48*time.Hour - time.Minute) // alice has expired, bob has a minute left
	if p, err := users.Deleted(context.Background(), alice); p != nil || err != nil {
		t.Errorf("an expired tombstone: %+v, %v", p, err)
	}
	must(t, lifecycle.NotFound)(users.Restore(context.Background(), alice, 0))
	must(t, lifecycle.Restored)(users.Restore(context.Background(), bob, 0))
}

func TestLifecycle_PurgeKeepsTheUniqueValuesOfOthers(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(), profiles(s, catalog.ReleaseReserve)
		must(t, lifecycle.Created)(users.Create(ctx, alice, fields("a@x")))
		must(t, lifecycle.Created)(users.Create(ctx, bob, fields("b@x")))
		purger := &lifecycle.Purger{Store: s,
			Timing: lifecycle.Timing{Append: time.Millisecond, Aggregate: time.Millisecond}}
		if _, err := purger.Request(ctx, alice, "test", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := purger.Run(ctx, alice); err != nil {
			t.Fatal(err)
		}
		carol := model.Subject{Type: "USER", ID: "carol"}
		must(t, lifecycle.Taken)(users.Create(ctx, carol, fields("b@x")))
		must(t, lifecycle.Created)(users.Create(ctx, carol, fields("a@x")))
	})
}

func TestLifecycle_VersionsAreListedNewestFirstAndExpire(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, clock := context.Background(), now
		users := profiles(s, catalog.ReleaseFree)
		spec := users.Profile("USER")
		spec.Versions.For = 24 * time.Hour
		users.Profile, users.Now = func(string) catalog.Profile { return spec },
			func() model.Time { return model.NewTime(clock) }
		must(t, lifecycle.Created)(users.Create(ctx, alice, fields("1@x")))
		for n := 2; n <= 12; n++ {
			must(t, lifecycle.Updated)(users.Update(ctx, alice, fields(fmt.Sprint(n, "@x")), 0))
		}
		var numbers []int64
		for before, more := int64(0), true; more; more = before != 0 {
			page, next, err := users.Versions(ctx, alice, before, 5)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range page {
				numbers = append(numbers, v.Version)
			}
			before = next
		}
		if want := []int64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}; !slices.Equal(numbers, want) {
			t.Errorf("versions %v, want %v", numbers, want)
		}
		second, err := users.Version(ctx, alice, 2)
		if err != nil || second == nil {
			t.Fatalf("version 2: %v, %v", second, err)
		}
		if email, _ := second.Attrs.Get("email"); email.Text != "2@x" {
			t.Errorf("version 2 has the email %s", email)
		}
		clock = clock.Add(25 * time.Hour)
		page, _, err := users.Versions(ctx, alice, 0, 20)
		if current, getErr := users.Get(ctx, alice); err != nil || getErr != nil || len(page) != 0 ||
			current == nil || current.Version != 12 {
			t.Errorf("a day later: %d versions, %v, profile %+v, %v; want none, and the profile", len(page), err,
				current, getErr)
		}
	})
}

func TestLifecycle_VersionsOfTwoSubjectsAreApart(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(), profiles(s, catalog.ReleaseFree)
		for _, id := range []string{"a", "a#1", "a#VERSION#0000000001"} {
			subject := model.Subject{Type: "USER", ID: id}
			must(t, lifecycle.Created)(users.Create(ctx, subject, fields(id+"@x")))
		}
		for _, id := range []string{"a", "a#1", "a#VERSION#0000000001"} {
			page, _, err := users.Versions(ctx, model.Subject{Type: "USER", ID: id}, 0, 10)
			if err != nil || len(page) != 1 || page[0].Subject.ID != id {
				t.Errorf("%s: %+v, %v; want its own version", id, page, err)
			}
		}
	})
}

func TestLifecycle_UniqueConstraintsAreCompoundAndSparse(t *testing.T) {
	spec := catalog.Profile{Unique: []catalog.Unique{{Name: "seat", Fields: []string{"room", "seat"},
		Case: catalog.CaseFold}}}
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(),
			&lifecycle.Service{Store: s, Profile: func(string) catalog.Profile { return spec }}
		for i, step := range []struct {
			room, seat string
			want       lifecycle.Outcome
		}{
			{"A", "1", lifecycle.Created},
			{"A", "2", lifecycle.Created},
			{"B", "1", lifecycle.Created},
			{"a", "1", lifecycle.Taken},
			{"A", "", lifecycle.Created},
			{"A", "", lifecycle.Created}, // sparse: without a seat it is not checked
			{"A#1", "", lifecycle.Created},
			{"A", "#1", lifecycle.Created},
		} {
			fields := model.Attrs{{Name: "room", Value: model.TextValue(step.room)},
				{Name: "seat", Value: model.TextValue(step.seat)}}
			must(t, step.want)(users.Create(ctx, model.Subject{Type: "USER", ID: fmt.Sprint(i)}, fields))
		}
	})
}

func TestLifecycle_AChangeOfMoreThanATransactionIsRefused(t *testing.T) {
	var spec catalog.Profile
	values := func(prefix string) (all model.Attrs) {
		for i := range 60 {
			all = append(all, model.Attr{Name: fmt.Sprint("f", i), Value: model.TextValue(fmt.Sprint(prefix, i))})
		}
		return all
	}
	for _, f := range values("") {
		spec.Unique = append(spec.Unique, catalog.Unique{Name: f.Name, Fields: []string{f.Name}})
	}
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(),
			&lifecycle.Service{Store: s, Profile: func(string) catalog.Profile { return spec }}
		must(t, lifecycle.Created)(users.Create(ctx, alice, values("a")))
		if out, err := users.Update(ctx, alice, values("b"), 0); !errors.Is(err, lifecycle.ErrTooManyItems) ||
			out.Outcome != "" {
			t.Errorf("60 values freed and 60 claimed: %s, %v; want %v", out.Outcome, err, lifecycle.ErrTooManyItems)
		}
		must(t, lifecycle.Taken)(users.Create(ctx, bob, values("a")))
	})
}

func TestLifecycle_ADeletionAndAnUpdateAtOnceHaveASerialResult(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(), profiles(s, catalog.ReleaseFree)
		for i := range 10 {
			subject := model.Subject{Type: "USER", ID: fmt.Sprint("racing", i)}
			must(t, lifecycle.Created)(users.Create(ctx, subject, fields(subject.ID)))
			var both sync.WaitGroup
			var updated, deleted lifecycle.Result
			var errs [2]error
			both.Go(func() { updated, errs[0] = users.Update(ctx, subject, fields(subject.ID+"-b"), 0) })
			both.Go(func() { deleted, errs[1] = users.Delete(ctx, subject, 0) })
			both.Wait()
			if err := errors.Join(errs[:]...); err != nil || deleted.Outcome != lifecycle.Deleted {
				t.Fatalf("%s: deleted %q, %v", subject, deleted.Outcome, err)
			}
			tombstone, err := users.Deleted(ctx, subject)
			profile, getErr := users.Get(ctx, subject)
			if err != nil || getErr != nil || profile != nil || tombstone == nil {
				t.Fatalf("%s: profile %+v, tombstone %+v, %v, %v; want only a tombstone", subject, profile, tombstone,
					err, getErr)
			}
			email, _ := tombstone.Attrs.Get("email")
			wasFirst := updated.Outcome == lifecycle.Updated && tombstone.Version == 3 && email.Text == subject.ID+"-b"
			wasLast := updated.Outcome == lifecycle.Restorable && tombstone.Version == 2 && email.Text == subject.ID
			if !wasFirst && !wasLast {
				t.Errorf("%s: the update was %s, the tombstone has version %d and %s", subject, updated.Outcome,
					tombstone.Version, email)
			}
		}
	})
}
