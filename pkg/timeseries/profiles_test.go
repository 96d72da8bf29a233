package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Account is the profile of a subject.
type Account struct {
	ID      string     `tide:"subject"`
	Email   string     `tide:"field"`
	Status  string     `tide:"field"`
	Seats   int        `tide:"field"`
	Trial   *bool      `tide:"field"`
	Renewal *time.Time `tide:"field"`
}

var account = catalog.SubjectType{Name: "ACCOUNT", Profile: &catalog.Profile{
	Declared: []catalog.ProfileField{{Name: "status", Values: []string{"active", "closed"}, Default: "active"}},
	Indexes:  []catalog.ProfileIndex{{Field: "status"}},
	Unique:   []catalog.Unique{{Name: "email", Fields: []string{"email"}, Case: catalog.CaseFold}},
	Versions: catalog.Versions{Keep: true},
}}

func accounts(t interface{ Fatalf(string, ...any) }, table lifecycle.Store) *timeseries.Profiles[Account] {
	all, err := timeseries.OpenProfiles[Account](table, account, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return all
}

func TestProfiles_PutStoresOnAConditionOfTheVersion(t *testing.T) {
	t.Parallel()
	all, ctx := accounts(t, newTable()), context.Background()
	put := func(v Account, version int64, want lifecycle.Outcome) *timeseries.Profile[Account] {
		t.Helper()
		out, err := all.Put(ctx, v, version)
		if err != nil || out.Outcome != want {
			t.Fatalf("put %+v: %q, %v; want %s", v, out.Outcome, err, want)
		}
		return out.Profile
	}
	yes, renewal := true, today.Add(time.Hour)
	put(Account{ID: "a", Email: "a@x"}, 1, lifecycle.NotFound)
	created := put(Account{ID: "a", Email: "a@x", Seats: 3, Trial: &yes, Renewal: &renewal}, 0,
		lifecycle.Created)
	want := timeseries.Profile[Account]{
		Value:   Account{ID: "a", Email: "a@x", Status: "active", Seats: 3, Trial: &yes, Renewal: &renewal},
		Version: 1, CreatedAt: today, UpdatedAt: today,
	}
	if diff := cmp.Diff(&want, created); diff != "" {
		t.Errorf("created, with the default status (-want +got):\n%s", diff)
	}
	if existing := put(Account{ID: "a"}, 0, lifecycle.Exists); existing.Value.Email != "a@x" {
		t.Errorf("exists with %+v, want what is stored", existing)
	}
	put(Account{ID: "a", Email: "b@x", Status: "closed"}, 1, lifecycle.Updated)
	put(Account{ID: "a", Email: "c@x"}, 1, lifecycle.Conflict)
	read, err := all.Get(ctx, "a")
	if diff := cmp.Diff(Account{ID: "a", Email: "b@x", Status: "closed"}, read.Value); err != nil ||
		diff != "" || read.Version != 2 {
		t.Errorf("after an update, absent fields are removed: version %d, %v (-want +got):\n%s", read.Version, err,
			diff)
	}
	out, err := all.Put(ctx, Account{ID: "b", Email: "B@X"}, 0)
	if err != nil || out.Outcome != lifecycle.Taken || out.Constraint != "email" || out.Profile != nil {
		t.Errorf("a value of another: %+v, %v", out, err)
	}
	if none, err := all.Get(ctx, "b"); none != nil || err != nil {
		t.Errorf("without a profile: %+v, %v", none, err)
	}
}

func TestProfiles_DeleteRestoreListAndVersions(t *testing.T) {
	t.Parallel()
	all, ctx := accounts(t, newTable()), context.Background()
	for i := range 5 {
		if _, err := all.Put(ctx, Account{ID: fmt.Sprint(i), Email: fmt.Sprint(i, "@x")}, 0); err != nil {
			t.Fatal(err)
		}
	}
	active := func() (ids string) {
		t.Helper()
		for p, err := range all.ListBy(ctx, "status", "active") {
			if err != nil {
				t.Fatal(err)
			}
			ids += p.Value.ID
		}
		return ids
	}
	if out, err := all.Delete(ctx, "3", 9); err != nil || out.Outcome != lifecycle.Conflict {
		t.Errorf("delete of another version: %s, %v", out.Outcome, err)
	}
	if out, err := all.Delete(ctx, "3", 1); err != nil || out.Outcome != lifecycle.Deleted ||
		!out.Profile.DeletedAt.Equal(today) {
		t.Errorf("delete: %+v, %v", out, err)
	}
	if ids := active(); ids != "0124" {
		t.Errorf("active without the deleted: %s", ids)
	}
	if deleted, err := all.Deleted(ctx, "3"); err != nil || deleted.Value.Email != "3@x" {
		t.Errorf("deleted: %+v, %v", deleted, err)
	}
	if out, err := all.Restore(ctx, "3", 0); err != nil || out.Outcome != lifecycle.Restored ||
		active() != "01234" {
		t.Errorf("restore: %s, %v, then active %s", out.Outcome, err, active())
	}
	versions := ""
	for v, err := range all.Versions(ctx, "3") {
		versions += fmt.Sprint(v.Version, !v.DeletedAt.IsZero(), err, " ")
	}
	if want := "3 false <nil> 2 true <nil> 1 false <nil> "; versions != want {
		t.Errorf("versions, and whether deleted: %s, want %s", versions, want)
	}
	for _, err := range all.ListBy(ctx, "email", "3@x") {
		if !errors.Is(err, lifecycle.ErrNoIndex) {
			t.Errorf("by a field without index: %v", err)
		}
	}
}

func TestProfiles_RejectInvalidValues(t *testing.T) {
	t.Parallel()
	type measured struct {
		ID   string  `tide:"subject"`
		Size float64 `tide:"field"`
	}
	sizes, err := timeseries.OpenProfiles[measured](newTable(), catalog.SubjectType{Name: "BOX"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, ctx := accounts(t, newTable()), context.Background()
	_, noID := all.Put(ctx, Account{}, 0)
	_, status := all.Put(ctx, Account{ID: "a", Status: "odd"}, 0)
	_, number := sizes.Put(ctx, measured{ID: "a", Size: 1e300}, 0)
	for field, err := range map[string]error{"": noID, "status": status, "size": number} {
		var wrong model.FieldErrors
		if !errors.Is(err, timeseries.ErrRejected) || !errors.As(err, &wrong) || wrong[0].Field != field {
			t.Errorf("%q: %v, want %v", field, err, timeseries.ErrRejected)
		}
	}
}

// A profile of another program may have values that the type cannot hold.
func TestProfiles_AValueOfAnotherTypeIsAnError(t *testing.T) {
	t.Parallel()
	table, ctx := newTable(), context.Background()
	others := &lifecycle.Service{Store: table, Profile: func(string) catalog.Profile { return *account.Profile }}
	for id, seats := range map[string]model.Value{"a": model.TextValue("many"),
		"b": model.NumberValue(model.NewDecimal(2))} {
		fields := model.Attrs{{Name: "seats", Value: seats}, {Name: "status", Value: model.TextValue("active")}}
		if _, err := others.Create(ctx, model.Subject{Type: "ACCOUNT", ID: id}, fields); err != nil {
			t.Fatal(err)
		}
	}
	all, got := accounts(t, table), ""
	for p, err := range all.ListBy(ctx, "status", "active") {
		got += fmt.Sprint(p.Value.ID, p.Value.Seats, err != nil, " ")
	}
	if want := "a0 true b2 false "; got != want {
		t.Errorf("list: %s, want %s: the iteration continues", got, want)
	}
	if _, err := all.Get(ctx, "a"); err == nil || !strings.Contains(err.Error(), "Seats") {
		t.Errorf("get: %v, want the field", err)
	}
}

func TestOpenProfiles_ReportsEachMistake(t *testing.T) {
	t.Parallel()
	openAs := func(open func(catalog.SubjectType) error, p catalog.Profile) error {
		return open(catalog.SubjectType{Name: "ACCOUNT", Profile: &p})
	}
	type noSubject struct {
		Email string `tide:"field"`
	}
	type wrongSubject struct {
		ID int `tide:"subject"`
	}
	type photo struct {
		ID    string `tide:"subject"`
		Image []byte `tide:"field"`
	}
	type timed struct {
		ID string    `tide:"subject"`
		At time.Time `tide:"time"`
	}
	type reserved struct {
		ID string    `tide:"subject"`
		At time.Time `tide:"field,name=deletedAt"`
	}
	type twice struct {
		ID string `tide:"subject"`
		A  string `tide:"field,name=x"`
		B  string `tide:"field,name=x"`
	}
	type seats struct {
		ID    string `tide:"subject"`
		Seats int    `tide:"field"`
	}
	none := catalog.Profile{}
	for name, c := range map[string]struct {
		err  error
		want timeseries.Code
	}{
		"not a struct":                  {openAs(profiles[string], none), timeseries.AppendMissing},
		"no subject":                    {openAs(profiles[noSubject], none), timeseries.AppendLacksKey},
		"a subject that is a number":    {openAs(profiles[wrongSubject], none), timeseries.TypeUnfit},
		"bytes":                         {openAs(profiles[photo], none), timeseries.TypeUnfit},
		"a role of events":              {openAs(profiles[timed], none), timeseries.TagUnreadable},
		"a reserved name":               {openAs(profiles[reserved], none), timeseries.TagUnreadable},
		"a name used twice":             {openAs(profiles[twice], none), timeseries.TagUnreadable},
		"an index without its field":    {openAs(profiles[seats], catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "plan"}}}), timeseries.RowDiffers},
		"an index of a number":          {openAs(profiles[seats], catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "seats"}}}), timeseries.RowDiffers},
		"a default that is not allowed": {openAs(profiles[seats], catalog.Profile{Declared: []catalog.ProfileField{{Name: "seats", Values: []string{"a"}, Default: "b"}}}), timeseries.KindUnusable},
	} {
		var mistake *timeseries.Error
		if !errors.As(c.err, &mistake) || mistake.Code != c.want {
			t.Errorf("%s: %v, want %s", name, c.err, c.want)
		}
	}
	if err := openAs(profiles[seats],
		catalog.Profile{Unique: []catalog.Unique{{Name: "seats", Fields: []string{"seats"}}}}); err != nil {
		t.Errorf("a number that is unique: %v", err)
	}
	if _, err := timeseries.OpenProfiles[seats](newTable(), account,
		&timeseries.Options{Attempts: -1}); err == nil {
		t.Error("invalid options: no error")
	}
}

func profiles[T any](subject catalog.SubjectType) error {
	_, err := timeseries.OpenProfiles[T](newTable(), subject, nil)
	return err
}

// Keep profiles with an email that no two of them share. Put stores on condition of a version.
func ExampleProfiles() {
	ctx := context.Background()
	users, err := timeseries.OpenProfiles[Account](newTable(), account, &timeseries.Options{Now: clock})
	if err != nil {
		log.Fatal(err)
	}
	alice := Account{ID: "alice", Email: "a@example.com", Seats: 5}
	out, err := users.Put(ctx, alice, 0) // 0: there must be none
	fmt.Println(out.Outcome, out.Profile.Version, out.Profile.Value.Status, err)
	out, err = users.Put(ctx, Account{ID: "bob", Email: "A@example.com"}, 0)
	fmt.Println(out.Outcome, out.Constraint, err)

	stored, err := users.Get(ctx, "alice")
	stored.Value.Status = "closed"
	out, err = users.Put(ctx, stored.Value, stored.Version) // only if it is unchanged
	fmt.Println(out.Outcome, out.Profile.Version, err)
	out, err = users.Put(ctx, alice, 1)
	fmt.Println(out.Outcome, "with version", out.Profile.Version, err)
	// Output:
	// created 1 active <nil>
	// taken email <nil>
	// updated 2 <nil>
	// conflict with version 2 <nil>
}

// Add the profiles that exist to an index that is declared later.
func ExampleProfiles_Backfill() {
	ctx, table := context.Background(), newTable()
	before, err := timeseries.OpenProfiles[Account](table, catalog.SubjectType{Name: "ACCOUNT"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := before.Put(ctx, Account{ID: "alice", Status: "active"}, 0); err != nil {
		log.Fatal(err)
	}
	users, err := timeseries.OpenProfiles[Account](table, account, nil) // now with an index of the status
	if err != nil {
		log.Fatal(err)
	}
	last := "" // keep it, to resume
	err = users.Backfill(ctx, last, func(id string, r lifecycle.Result) error {
		last = id
		fmt.Println(id, r.Outcome)
		return nil
	})
	fmt.Println(err)
	for p, err := range users.ListBy(ctx, "status", "active") {
		fmt.Println(p.Value.ID, err)
	}
	// Output:
	// alice updated
	// <nil>
	// alice <nil>
}
