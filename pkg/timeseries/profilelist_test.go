package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// billed has accounts by status, ordered by renewal, and by email and status, ordered by seats.
var billed = catalog.SubjectType{Name: "ACCOUNT", Profile: &catalog.Profile{Indexes: []catalog.ProfileIndex{
	{
		Field: "status", Sort: []string{"renewal"},
		Types: map[string]catalog.OrderType{"renewal": catalog.TimeOrder},
	},
	{
		Field: "email", And: []string{"status"}, Sort: []string{"seats"}, Index: catalog.SecondIndex,
		Types: map[string]catalog.OrderType{"seats": catalog.NumberOrder},
	},
}}}

func TestProfiles_ListIsInTheOrderOfTheIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	all, err := timeseries.OpenProfiles[Account](newTable(), billed, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	for i, seats := range []int{10, -3, 9, 0, -20} {
		renewal := today.Add(time.Duration(seats) * 100 * time.Millisecond)
		account := Account{ID: fmt.Sprint(i), Email: "e", Status: "active", Seats: seats, Renewal: &renewal}
		if _, err := all.Put(ctx, account, 0); err != nil {
			t.Fatal(err)
		}
	}
	status := map[string]string{"status": "active"}
	both := map[string]string{"status": "active", "email": "e"}
	three := model.NumberValue(model.NewDecimal(-3))
	for _, c := range []struct {
		q    lifecycle.ProfileQuery
		want string
	}{
		{q: lifecycle.ProfileQuery{By: both}, want: "41320"},
		{q: lifecycle.ProfileQuery{By: both, Descending: true, Limit: 2}, want: "02"},
		{q: lifecycle.ProfileQuery{By: both, From: three, To: model.TextValue("10")}, want: "132"},
		{q: lifecycle.ProfileQuery{By: status}, want: "41320"},
		{q: lifecycle.ProfileQuery{By: status, To: model.TextValue(today.Format(time.RFC3339))}, want: "41"},
	} {
		list := all.List(ctx, c.q)
		for range 2 { // an iterator can be used again
			got := ""
			for p, err := range list {
				if err != nil {
					t.Fatal(err)
				}
				got += p.Value.ID
			}
			if got != c.want {
				t.Errorf("%+v: %s, want %s", c.q, got, c.want)
			}
		}
	}
	for _, err := range all.List(ctx, lifecycle.ProfileQuery{By: map[string]string{"seats": "1"}}) {
		if !errors.Is(err, lifecycle.ErrNoIndex) {
			t.Errorf("without an index: %v", err)
		}
	}
}

func TestOpenProfiles_ReportsFieldsThatSortNothing(t *testing.T) {
	t.Parallel()
	for field, as := range map[string]catalog.OrderType{
		"seats": catalog.TextOrder, "plan": catalog.NumberOrder, "trial": catalog.TextOrder,
		"renewal": catalog.NumberOrder, "email": catalog.NumberOrder,
	} {
		declared := catalog.Profile{Indexes: []catalog.ProfileIndex{
			{Field: "status", Sort: []string{field}, Types: map[string]catalog.OrderType{field: as}},
		}}
		err := profiles[Account](catalog.SubjectType{Name: "ACCOUNT", Profile: &declared})
		var mistake *timeseries.Error
		if !errors.As(err, &mistake) || mistake.Code != timeseries.RowDiffers {
			t.Errorf("%s as a %s: %v, want %s", field, as, err, timeseries.RowDiffers)
		}
	}
}

// List accounts by two fields, those with the most seats first.
func ExampleProfiles_List() {
	ctx := context.Background()
	accounts, err := timeseries.OpenProfiles[Account](newTable(), billed, nil)
	if err != nil {
		log.Fatal(err)
	}
	for id, seats := range map[string]int{"alice": 5, "bob": 12, "carol": 2} {
		account := Account{ID: id, Email: "a@example.com", Status: "active", Seats: seats}
		if _, err := accounts.Put(ctx, account, 0); err != nil {
			log.Fatal(err)
		}
	}
	large := lifecycle.ProfileQuery{
		By:         map[string]string{"email": "a@example.com", "status": "active"},
		From:       model.NumberValue(model.NewDecimal(5)),
		Descending: true,
	}
	for p, err := range accounts.List(ctx, large) {
		fmt.Println(p.Value.ID, p.Value.Seats, err)
	}
	// Output:
	// bob 12 <nil>
	// alice 5 <nil>
}
