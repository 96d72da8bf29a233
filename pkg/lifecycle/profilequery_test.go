package lifecycle_test

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// tasks have an index of two fields that sorts by text and number, and one of a field that sorts by time.
var tasks = catalog.Profile{Indexes: []catalog.ProfileIndex{
	{Field: "account", And: []string{"status"}, Sort: []string{"name", "size"}, Index: catalog.SecondIndex,
		Types: map[string]catalog.OrderType{"size": catalog.NumberOrder}},
	{Field: "status", Sort: []string{"due", "name"},
		Types: map[string]catalog.OrderType{"due": catalog.TimeOrder}},
}}

// sized are tasks that an index finds by account alone, and sorts by number.
var sized = catalog.Profile{Indexes: []catalog.ProfileIndex{
	{Field: "account", Sort: []string{"size"}, Types: map[string]catalog.OrderType{"size": catalog.NumberOrder}},
	{Field: "status", Index: catalog.SecondIndex},
}}

// taskValues are values of the fields of tasks, with separators, escapes and texts that begin with others.
var taskValues = map[string][]model.Value{
	"account": textValues("a", "a#", "#", "a#active", "%23", "ä", "1"),
	"status":  textValues("active", "a", "1", "name#text"),
	"name":    textValues("a", "a#b", "a ", "ab", "A", "%", "#", "~", "é", "🌊", "\U0010FFFF", "\x01"),
	"size": numberValues("-1e120", "-10", "-9.5", "-9", "-0.5", "0", "1e-100", "0.5", "3", "10", "100",
		"1e120"),
	"due": textValues("2026-11-01T10:00:00Z", "2026-11-01T10:00:00.5Z", "2026-11-01T10:00:00.000000001Z",
		"2026-11-01T12:00:00+02:00", "2026-11-01T09:59:59.999-00:30", "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59Z"),
}

func textValues(texts ...string) (values []model.Value) {
	for _, text := range texts {
		values = append(values, model.TextValue(text))
	}
	return values
}

func numberValues(texts ...string) (values []model.Value) {
	for _, text := range texts {
		values = append(values, model.NumberValue(model.MustDecimal(text)))
	}
	return values
}

// compareValues is the order of the values of a sort field.
func compareValues(t *rapid.T, by catalog.OrderType, a, b model.Value) int {
	instant := func(v model.Value) time.Time {
		at, err := time.Parse(time.RFC3339Nano, v.Text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	switch by {
	case catalog.NumberOrder:
		return a.Number.Cmp(b.Number)
	case catalog.TimeOrder:
		return instant(a).Compare(instant(b))
	}
	return strings.Compare(a.Text, b.Text)
}

// selected filters and sorts profiles as a query of an index says.
func selected(t *rapid.T, all []model.Profile, x catalog.ProfileIndex,
	q lifecycle.ProfileQuery) (ids []string) {
	value := func(p model.Profile, field string) model.Value {
		v, _ := p.Attrs.Get(field)
		return v
	}
	all = slices.DeleteFunc(slices.Clone(all), func(p model.Profile) bool {
		for field, text := range q.By {
			if value(p, field) != model.TextValue(text) {
				return true
			}
		}
		for i, field := range x.Sort {
			v, t1 := value(p, field), x.SortType(field)
			if v.Kind == model.Null || v == model.TextValue("") ||
				i == 0 && q.From.Kind != model.Null && compareValues(t, t1, v, q.From) < 0 ||
				i == 0 && q.To.Kind != model.Null && compareValues(t, t1, v, q.To) >= 0 {
				return true
			}
		}
		return false
	})
	slices.SortFunc(all, func(a, b model.Profile) int {
		for _, field := range x.Sort {
			if c := compareValues(t, x.SortType(field), value(a, field), value(b, field)); c != 0 {
				return c
			}
		}
		return strings.Compare(a.Subject.ID, b.Subject.ID)
	})
	for _, p := range all {
		ids = append(ids, p.Subject.ID)
	}
	if q.Descending {
		slices.Reverse(ids)
	}
	return ids
}

// taskList is a service with random changes of tasks.
type taskList struct {
	*lifecycle.Service
	subjectType string
	spec        catalog.Profile
}

func newTaskList(store lifecycle.Store, spec catalog.Profile) *taskList {
	l := &taskList{subjectType: "TASK" + crand.Text(), spec: spec}
	l.Service = serviceOn(store, func() model.Time { return noon },
		func(string) catalog.Profile { return l.spec })
	l.Rand = crand.Reader // a server remembers tokens beyond a history
	return l
}

var taskIDs = []string{"a", "a#", "b", "%", "~", "é", "a#b", "1"}

// change makes a random change of a random task.
func (l *taskList) change(t *rapid.T) {
	s := model.Subject{Type: l.subjectType, ID: rapid.SampledFrom(taskIDs).Draw(t, "id")}
	var fields model.Attrs
	for _, name := range slices.Sorted(maps.Keys(taskValues)) {
		some := append(slices.Clone(taskValues[name]), model.Value{}, model.TextValue(""))
		if name == "size" {
			some = some[:len(some)-1]
		}
		if rapid.IntRange(0, 3).Draw(t, "has "+name) > 0 {
			fields = append(fields, model.Attr{Name: name, Value: rapid.SampledFrom(some).Draw(t, name)})
		}
	}
	var err error
	switch rapid.IntRange(0, 9).Draw(t, "change") {
	case 0:
		_, err = l.Delete(t.Context(), s, 0)
	case 1:
		_, err = l.Remove(t.Context(), s, 0)
	case 2, 3:
		_, err = l.Restore(t.Context(), s, 0)
	case 4, 5, 6:
		_, err = l.Create(t.Context(), s, fields)
	default:
		_, err = l.Update(t.Context(), s, fields, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// profiles reads every profile by its key.
func (l *taskList) profiles(t *rapid.T) (all []model.Profile) {
	for _, id := range taskIDs {
		p, err := l.Get(t.Context(), model.Subject{Type: l.subjectType, ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// query returns a random query of an index. Values that some profile has are more frequent than others.
func (l *taskList) query(t *rapid.T, x catalog.ProfileIndex, all []model.Profile) lifecycle.ProfileQuery {
	value := func(field string) model.Value {
		values := slices.Clone(taskValues[field])
		for _, p := range all {
			if v, _ := p.Attrs.Get(field); v.Kind != model.Null && v.Text+v.Number.String() != "0" {
				values = append(values, v, v, v)
			}
		}
		return rapid.SampledFrom(values).Draw(t, field)
	}
	q := lifecycle.ProfileQuery{SubjectType: l.subjectType, By: map[string]string{},
		Descending: rapid.Bool().Draw(t, "descending"), Limit: rapid.IntRange(0, 4).Draw(t, "limit")}
	for _, field := range x.By() {
		q.By[field] = value(field).Text
	}
	if len(x.Sort) == 0 {
		return q
	}
	if rapid.Bool().Draw(t, "has from") {
		q.From = value(x.Sort[0])
	}
	if rapid.Bool().Draw(t, "has to") {
		q.To = value(x.Sort[0])
	}
	if q.From.Kind != model.Null && q.To.Kind != model.Null &&
		compareValues(t, x.SortType(x.Sort[0]), q.From, q.To) > 0 {
		q.From, q.To = q.To, q.From
	}
	return q
}

// listed returns the ids of all pages of a query.
func (l *taskList) listed(t *rapid.T, q lifecycle.ProfileQuery) (ids []string) {
	for range 3 * len(taskIDs) {
		page, err := l.List(t.Context(), q)
		if err != nil || q.Limit > 0 && len(page.Profiles) > q.Limit {
			t.Fatalf("%+v: a page of %d, %v", q, len(page.Profiles), err)
		}
		for _, p := range page.Profiles {
			ids = append(ids, p.Subject.ID)
		}
		if q.After = page.Next; q.After == (lifecycle.Cursor{}) {
			return ids
		}
	}
	t.Fatalf("%+v has no last page", q)
	return nil
}

// check compares random queries of every index with all profiles, filtered and sorted.
func (l *taskList) check(t *rapid.T) {
	all := l.profiles(t)
	for _, x := range l.spec.Indexes {
		q := l.query(t, x, all)
		if got, want := l.listed(t, q), selected(t, all, x, q); !slices.Equal(got, want) {
			t.Fatalf("%+v of %+v: got %q, want %q", q, all, got, want)
		}
	}
}

func testLists(t *testing.T, open func() lifecycle.Store) {
	t.Parallel()
	end := time.Now().Add(8 * time.Second) // a request takes milliseconds in an engine
	rapid.Check(t, func(t *rapid.T) {
		if time.Now().After(end) {
			return
		}
		l := newTaskList(open(), rapid.SampledFrom([]catalog.Profile{tasks, sized}).Draw(t, "declared"))
		for range rapid.IntRange(4, 25).Draw(t, "changes") {
			l.change(t)
		}
		for range 8 {
			l.check(t)
		}
	})
}

func TestList_IsAllProfilesFilteredAndSorted(t *testing.T) {
	testLists(t, func() lifecycle.Store { return memory.New(func() model.Time { return noon }) })
}

func TestList_OfDynamoIsAllProfilesFilteredAndSorted(t *testing.T) {
	client, err := dynamo.NewClient(t.Context(), enginetest.Region, enginetest.Endpoint(t))
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "lists-"+crand.Text())
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	testLists(t, func() lifecycle.Store { return table })
}

// An index whose fields or order were declared again finds no profile until a backfill, and then all.
func TestBackfill_MovesProfilesToAnIndexThatIsDeclaredAgain(t *testing.T) {
	t.Parallel()
	plain := catalog.Profile{Indexes: []catalog.ProfileIndex{
		{Field: "account", Index: catalog.SecondIndex}, {Field: "status", Shards: 3},
	}}
	rapid.Check(t, func(t *rapid.T) {
		l := newTaskList(memory.New(func() model.Time { return noon }), catalog.Profile{})
		all := []catalog.Profile{{}, plain, tasks, sized}
		for range rapid.IntRange(1, 3).Draw(t, "declarations") {
			l.spec = rapid.SampledFrom(all).Draw(t, "declared")
			for range rapid.IntRange(1, 12).Draw(t, "changes") {
				l.change(t)
			}
		}
		l.spec = rapid.SampledFrom(all).Draw(t, "last declared")
		backfill := func() (updated int) {
			if err := l.Backfill(t.Context(), l.subjectType, "", func(_ model.Subject, r lifecycle.Result) error {
				if r.Outcome == lifecycle.Updated {
					updated++
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return updated
		}
		backfill()
		if again := backfill(); again != 0 {
			t.Fatalf("a second backfill writes %d profiles", again)
		}
		profiles := l.profiles(t)
		for _, x := range l.spec.Indexes {
			for range 4 {
				q := l.query(t, x, profiles)
				q.Descending = q.Descending && x.Shards < 2
				got, want := l.listed(t, q), selected(t, profiles, x, q)
				if x.Shards > 1 { // has no order
					slices.Sort(got)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%+v of %+v: got %q, want %q", q, profiles, got, want)
				}
			}
		}
	})
}

// A new declaration finds nothing in the partitions of an earlier one, whose entries have another order.
func TestList_FindsNoEntryOfAnEarlierDeclaration(t *testing.T) {
	t.Parallel()
	w := newFixture(t, catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "team"}}})
	w.noError(w.Create(t.Context(), alice, fields("team", "red", "name", "A", "status", "1")))
	for _, x := range []catalog.ProfileIndex{
		{Field: "team", Sort: []string{"name"}}, {Field: "team", And: []string{"status"}},
		{Field: "team", Sort: []string{"name"}, Types: map[string]catalog.OrderType{"name": catalog.TimeOrder}},
	} {
		w.spec = catalog.Profile{Indexes: []catalog.ProfileIndex{x}}
		q := lifecycle.ProfileQuery{SubjectType: alice.Type, By: map[string]string{"team": "red"}}
		if len(x.And) > 0 {
			q.By["status"] = "1"
		}
		if page, err := w.List(t.Context(), q); err != nil || len(page.Profiles) != 0 {
			t.Errorf("%+v: %d profiles, %v; want none before a backfill", x, len(page.Profiles), err)
		}
	}
}

func TestList_ExplainsQueriesThatNoIndexServes(t *testing.T) {
	t.Parallel()
	w := newFixture(t, tasks)
	by := func(pairs ...string) lifecycle.ProfileQuery {
		q := lifecycle.ProfileQuery{SubjectType: alice.Type, By: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			q.By[pairs[i]] = pairs[i+1]
		}
		return q
	}
	bounds := func(q lifecycle.ProfileQuery, from, to string) lifecycle.ProfileQuery {
		for text, at := range map[string]*model.Value{from: &q.From, to: &q.To} {
			if text != "" {
				*at = model.TextValue(text)
			}
		}
		return q
	}
	due := by("status", "active")
	foreign := bounds(due, "2026-11-02", "")
	foreign.After.Position.Sort = "2026-11-01T00:00:00.000000000Z#a"
	spread := employee
	spread.Indexes = []catalog.ProfileIndex{{Field: "team", Shards: 3}}
	descending := by("team", "red")
	descending.Descending = true
	for _, c := range []struct {
		spec catalog.Profile
		q    lifecycle.ProfileQuery
		err  error
		want string
	}{
		{tasks, by("account", "a"), lifecycle.ErrNoIndex,
			"pass a value of status too: the index is by account and status"},
		{tasks, by("account", "a", "status", "b", "size", "1"), lifecycle.ErrNoIndex,
			"or use one that exists: by account and status, by status"},
		{tasks, by("size", "1"), lifecycle.ErrNoIndex, "or use one that exists: by account and status, by status"},
		{tasks, by(), lifecycle.ErrNoIndex, "or use one that exists"},
		{catalog.Profile{}, by("a", "b"), lifecycle.ErrNoIndex, "declare one for the subject type"},
		{tasks, by("status", ""), model.ErrCondition,
			"status has no value, and profiles without one are in no index: pass a text"},
		{tasks, bounds(due, "soon", ""), model.ErrCondition, `from is "soon", and due sorts the index as a time`},
		{tasks, bounds(due, "", "soon"), model.ErrCondition, `to is "soon", and due sorts the index as a time`},
		{tasks, bounds(due, "2026-11-02", "2026-11-01"), model.ErrCondition,
			"exchange them, also for a descending list"},
		{tasks, foreign, model.ErrCondition, "the cursor is outside of the bounds"},
		{sized, bounds(by("account", "a"), "many", ""), model.ErrCondition, "size sorts the index as a number"},
		{sized, bounds(by("status", "a"), "1", ""), model.ErrCondition,
			"the index by status has none: declare sort, or leave the bounds out"},
		{spread, descending, model.ErrCondition, "spread over 3 shards and has no order: leave descending out"},
	} {
		w.spec = c.spec
		_, err := w.List(t.Context(), c.q)
		if !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.want) ||
			!strings.HasPrefix(err.Error(), "list EMPLOYEE by ") {
			t.Errorf("%+v:\n got %v\nwant %v … %s", c.q, err, c.err, c.want)
		}
	}
}

// Bounds can be texts, as HTTP and the command line pass them; a date is its start.
func TestList_ReadsBoundsThatAreTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec     catalog.Profile
		field    string
		value    model.Value
		from, to string
		want     bool
	}{
		{sized, "size", model.NumberValue(model.NewDecimal(-5)), "-5.0", "-4", true},
		{sized, "size", model.NumberValue(model.NewDecimal(-5)), "-4.999", "1e3", false},
		{tasks, "due", model.TextValue("2026-11-01T01:00:00+01:00"), "2026-11-01", "2026-11-02", true},
		{tasks, "due", model.TextValue("2026-11-01T00:59:59+01:00"), "2026-11-01", "2026-11-02", false},
	} {
		w := newFixture(t, c.spec)
		given := append(fields("account", "a", "name", "n", "status", "s"), model.Attr{Name: c.field,
			Value: c.value})
		w.noError(w.Create(t.Context(), alice, given))
		q := lifecycle.ProfileQuery{SubjectType: alice.Type, By: map[string]string{"account": "a"},
			From: model.TextValue(c.from), To: model.TextValue(c.to)}
		if c.field == "due" {
			q.By = map[string]string{"status": "s"}
		}
		page, err := w.List(t.Context(), q)
		if got := len(page.Profiles) == 1; err != nil || got != c.want {
			t.Errorf("%s from %s to %s: found %t, %v; want %t", c.value, c.from, c.to, got, err, c.want)
		}
	}
}

// A profile that an index could not sort is rejected.
func TestCreate_RejectsValuesThatAnIndexCannotSort(t *testing.T) {
	t.Parallel()
	w := newFixture(t, tasks)
	long := strings.Repeat("x", 400)
	for _, c := range []struct {
		attr  model.Attr
		field string
		want  string
	}{
		{model.Attr{Name: "size", Value: model.TextValue("12")}, "size",
			"is not a number, but an index sorts by this field as a number"},
		{model.Attr{Name: "due", Value: model.TextValue("2026-11-01")}, "due",
			"send a string such as 2026-11-01T14:00:00Z"},
		{model.Attr{Name: "due", Value: model.NumberValue(model.NewDecimal(5))}, "due", "is not a time"},
		{model.Attr{Name: "due", Value: model.TextValue("0001-01-01T00:00:00+01:00")}, "due", "is not a time"},
		{model.Attr{Name: "name", Value: model.BoolValue(true)}, "name",
			"is not a string, but an index sorts by this field"},
		{model.Attr{Name: "status", Value: model.BoolValue(true)}, "status",
			"is not a string, but an index uses this field"},
		{model.Attr{Name: "name", Value: model.TextValue(strings.Repeat("#", 400))}, "account",
			"shorten one of account, status, name, size"},
		{model.Attr{Name: "account", Value: model.TextValue(strings.Repeat("#",
			3) + long + long + long + long + long)}, "account", "shorten one of account, status, name, size"},
	} {
		all := model.Attrs{{Name: "account", Value: model.TextValue("a")}, {Name: "name",
			Value: model.TextValue("n")},
			{Name: "size", Value: model.NumberValue(model.NewDecimal(1))}, {Name: "status",
				Value: model.TextValue("s")}}
		out, err := w.Create(t.Context(), alice, all.Union(model.Attrs{c.attr}))
		var wrong model.FieldErrors
		if !errors.As(err, &wrong) || wrong[0].Field != c.field || !strings.Contains(wrong[0].Message, c.want) {
			t.Errorf("%s %s: %s, %v; want %s of %s", c.attr.Name, c.attr.Value, out.Outcome, err, c.want, c.field)
		}
	}
}
