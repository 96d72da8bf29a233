package alert_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// expected returns the alerts of a sequential pass over the applied events that exist.
func (f *fleet) expected() map[string]string {
	want := map[string]string{}
	for s, applied := range f.applied {
		for i := range f.rules {
			switch r := &f.rules[i]; {
			case !r.Matches(s):
			case r.Test == storage.TestSilence:
				f.expectSilences(want, s, r)
			default:
				f.expect(want, s, r, applied)
			}
		}
	}
	return want
}

// tested is a reading, and the number that a rule compares with its bounds.
type tested struct {
	model.Event
	value *big.Rat
}

// readings returns the readings of a series that a rule compares with its bounds.
func (f *fleet) readings(s model.Series, r *storage.Rule, applied map[model.Order]bool) (all []tested) {
	var before *tested
	for _, e := range f.events(s) {
		v, ok := e.Attrs.Get(r.Measure)
		if !applied[e.Order] || !ok || e.At < r.From {
			continue
		}
		now := tested{e, v.Number.Rat()}
		if r.Test == storage.TestValue {
			all = append(all, now)
		} else if before != nil && before.At < now.At {
			change := new(big.Rat).Sub(now.value, before.value)
			minutes := big.NewRat(int64(now.At-before.At), 60_000)
			all = append(all, tested{e, change.Quo(change, minutes)})
		}
		before = &now
	}
	return all
}

// expect adds the alerts of one series by one rule. It looks at all earlier readings for each reading.
func (f *fleet) expect(
	want map[string]string, s model.Series, r *storage.Rule, applied map[model.Order]bool,
) {
	all, open := f.readings(s, r, applied), ""
	for i, e := range all {
		if open == "" && longBeyond(all[:i+1], r) {
			open = alert.AlertID(s, e.Order, r.ID())
			f.Count("alerts of " + r.Name)
			want[open] = fmt.Sprintf("%s %s: %s at %s, open", s, r.ID(), short(e.value), e.At)
		} else if open != "" && !beyond(e.value, r, either(r.ClearLow, r.Low), either(r.ClearHigh, r.High)) {
			until := fmt.Sprintf("until %s of %s", short(e.value), e.At)
			want[open] = strings.TrimSuffix(want[open], "open") + until
			open = ""
		}
	}
}

// expectSilences adds the silences between events, late or not, and the one that lasts.
func (f *fleet) expectSilences(want map[string]string, s model.Series, r *storage.Rule) {
	events, span := f.events(s), time.Duration(r.For)
	for i, e := range events {
		id := alert.AlertID(s, e.Order, r.ID())
		text := fmt.Sprintf("%s %s: %.6g at %s, ", s, r.ID(), span.Seconds(), e.At)
		if i == len(events)-1 {
			if e.At.Add(span) <= f.aDayLater() {
				want[id] = text + "open"
			}
			continue
		}
		if next := events[i+1]; next.At >= r.From && next.At.Sub(e.At) >= span {
			f.Count("alerts of " + r.Name)
			want[id] = text + fmt.Sprintf("until %.6g of %s", next.At.Sub(e.At).Seconds(), next.At)
		}
	}
}

// longBeyond reports whether the last readings are all beyond the bounds, for the duration of the rule.
func longBeyond(all []tested, r *storage.Rule) bool {
	for i := len(all) - 1; i >= 0 && beyond(all[i].value, r, r.Low, r.High); i-- {
		if all[len(all)-1].At.Sub(all[i].At) >= time.Duration(r.For) {
			return true
		}
	}
	return false
}

func beyond(v *big.Rat, r *storage.Rule, low, high *model.Decimal) bool {
	return r.Bounds != storage.Above && v.Cmp(low.Rat()) < 0 ||
		r.Bounds != storage.Below && v.Cmp(high.Rat()) > 0
}

func either(a, b *model.Decimal) *model.Decimal {
	if a != nil {
		return a
	}
	return b
}

// short writes a number with few digits, as a rate is rounded.
func short(v *big.Rat) string {
	n, _ := v.Float64()
	return fmt.Sprintf("%.6g", n)
}

// stored returns the alerts of the table that are not withdrawn.
func (f *fleet) stored() map[string]string {
	got := map[string]string{}
	for after := (keys.Key{}); ; {
		page, next, err := f.table.Scan(context.Background(), after)
		if err != nil {
			panic(err)
		}
		for _, it := range page {
			a, err := item.Alert(it)
			if err != nil || a.Withdrawn != "" {
				continue
			}
			text := fmt.Sprintf("%s %s: %s at %s, ", a.Series, a.Rule, short(a.Value.Rat()), a.Raised.At)
			if a.Recovered == nil {
				text += "open"
			} else {
				text += fmt.Sprintf("until %s of %s", short(a.Recovered.Value.Rat()), a.Recovered.At)
			}
			if inIndex := it.IndexKey(keys.IndexGSI1) != (keys.Key{}); inIndex != (a.Status() == storage.AlertOpen) ||
				inIndex == (a.ExpiresAt != 0) {
				text += " and in the wrong index or with a wrong expiry"
			}
			got[a.ID] = text
		}
		if after = next; next == (keys.Key{}) {
			return got
		}
	}
}
