package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// Entry is one booking of an account: an amount, and the balance after it.
type Entry struct {
	Account string `tide:"subject"`
	Number  int64  `tide:"order"`
	Payment string `tide:"field"`
	Amount  int64  `tide:"measure"`
	Balance int64  `tide:"measure"`
}

// entries are ordered by their number, without gaps. The kind drops late entries: with the default
// policy, an entry with an earlier number would be stored, and not change the balance.
var entries = catalog.Kind{Name: "ENTRY", Path: "entries", Subject: catalog.SubjectType{Name: "ACCOUNT"},
	Late: catalog.DropLate}

// book adds an amount to an account, unless the balance would fall below zero. Others may book at
// the same time: the entry is appended only on top of the one that it was computed from.
func book(ctx context.Context, ledger *timeseries.Events[Entry], account, payment string,
	amount int64) (string, error) {
	for {
		last, err := ledger.Latest(ctx, timeseries.Key{Subject: account}, timeseries.Consistent())
		if err != nil {
			return "", err
		}
		onTop := timeseries.If("number", model.Missing, nil)
		if last == nil {
			last = &Entry{Account: account}
		} else {
			onTop = timeseries.If("number", model.Equal, last.Number)
		}
		next := Entry{Account: account, Number: last.Number + 1, Payment: payment, Amount: amount,
			Balance: last.Balance + amount}
		if next.Balance < 0 {
			return "refused", nil
		}
		var out timeseries.Result[Entry]
		err = timeseries.Retry(ctx, func(ctx context.Context) (err error) {
			out, err = ledger.Append(ctx, next, onTop) // the same entry, so that it is booked once
			return err
		})
		switch {
		case out.Stored(): // now, or by an attempt before
			return fmt.Sprint("booked, balance ", next.Balance), nil
		case err != nil && !errors.Is(err, timeseries.ErrConflict) && !errors.Is(err, timeseries.ErrCollision):
			return "", err
		}
		// Another entry came first: compute again on top of it.
	}
}

// A ledger: each entry is computed from the one before it, and appended on condition that none came
// between.
func Example_ledger() {
	ctx := context.Background()
	now := func() model.Time { return model.NewTime(time.Now()) }
	ledger, err := timeseries.Open[Entry](memory.New(now), entries, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range []struct {
		payment string
		amount  int64
	}{{"deposit", 100}, {"rent", -60}, {"phone", -60}, {"food", -25}} {
		result, err := book(ctx, ledger, "alice", b.payment, b.amount)
		fmt.Println(b.payment, result, err)
	}
	// computed from entry 2
	for _, e := range []Entry{{"alice", 4, "late", -40, 0}, {"alice", 3, "twice", -40, 0}} {
		out, err := ledger.Append(ctx, e, timeseries.If("number", model.Equal, 2))
		fmt.Println(e.Payment, out.Outcome, out.Stored(), errors.Is(err, timeseries.ErrConflict))
	}
	for e, err := range ledger.History(ctx, timeseries.Key{Subject: "alice"}) {
		fmt.Println(e.Number, e.Payment, e.Amount, e.Balance, err)
	}
	// Output:
	// deposit booked, balance 100 <nil>
	// rent booked, balance 40 <nil>
	// phone refused <nil>
	// food booked, balance 15 <nil>
	// late conflict false true
	// twice collision false false
	// 1 deposit 100 100 <nil>
	// 2 rent -60 40 <nil>
	// 3 food -25 15 <nil>
}

// A ledger by time: a condition alone does not refuse an entry that is late, its kind does.
func ExampleIf_late() {
	type Booking struct {
		Account string    `tide:"subject"`
		At      time.Time `tide:"time"`
		Balance int64     `tide:"measure"`
	}
	for _, late := range []catalog.LatePolicy{catalog.KeepLate, catalog.DropLate} {
		kind := catalog.Kind{Name: "BOOKING", Subject: catalog.SubjectType{Name: "ACCOUNT"}, Late: late}
		ledger, err := timeseries.Open[Booking](newTable(), kind, &timeseries.Options{Now: clock})
		if err != nil {
			log.Fatal(err)
		}
		ctx := context.Background()
		if _, err := ledger.Append(ctx, Booking{
			Account: "alice", At: today.Add(-time.Minute), Balance: 40,
		}); err != nil {
			log.Fatal(err)
		}
		out, err := ledger.Append(ctx, Booking{Account: "alice", At: today.Add(-time.Hour), Balance: 30},
			timeseries.If("balance", model.Equal, 40))
		fmt.Println(late, "→", out.Outcome, err)
	}
	// Output:
	// keep → late <nil>
	// drop → stale <nil>
}
