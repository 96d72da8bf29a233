package item_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func testAlert() storage.Alert {
	return storage.Alert{
		ID: "01KPN3Q8G0V7H4T2W9R5M6C1XA", Series: series(), Rule: "too-hot.1", Severity: storage.Critical, Measure: "temperature", Limit: "above 30",
		Violation: storage.Violation{Raised: model.Order{At: at("2026-04-20T14:00:00Z"), ID: "b7"}, Value: model.MustDecimal("31.5")}, Rev: [16]byte{9},
	}
}

func testRule() storage.Rule {
	low, high := model.MustDecimal("18"), model.MustDecimal("24.5")
	return storage.Rule{
		Name: "comfort", Revision: 2, SubjectType: series().Subject.Type, Kind: series().Kind, AnyStream: true,
		Measure: "temperature", Bounds: storage.Outside, Low: &low, High: &high, Severity: storage.Info, From: at("2026-04-20T14:00:00Z"), By: "ann",
	}
}

// alertForms returns the stored forms of alerts and their rules.
func alertForms() map[string]form {
	open, closed := testAlert(), testAlert()
	closed.Recovered = &storage.Moment{At: at("2026-04-20T15:00:00Z"), Value: model.MustDecimal("29")}
	closed.Acknowledged = &storage.ManualAction{At: at("2026-04-20T14:10:00Z"), By: "ann"}
	closed.ExpiresAt = 1784476800
	waiting := storage.Notification{
		Alert: testAlert(), Change: storage.AlertChangeRaised, At: at("2026-04-20T14:00:01Z"),
	}
	delivered := waiting
	delivered.ExpiresAt = 1776780001
	ofType, own := testRule(), testRule()
	ofType.Test, ofType.ClearLow = storage.TestRate, ofType.Low
	ofType.For = times.Span(10 * time.Minute)
	own.Subject = series().Subject.ID
	own.RemovedAt = at("2026-04-21T14:00:00Z")
	own.RemovedBy = "ben"
	own.Reason = "its rule was changed"
	own.ExpiresAt = 1776866400
	state := storage.AlertState{Series: series(), Rev: [16]byte{7}, Rules: []storage.RuleState{
		{Rule: "too-hot.1", Tested: testAlert().Raised, MaxTested: testAlert().Raised, Open: &storage.OpenViolation{Alert: testAlert().ID, Raised: testAlert().Raised}},
		{Rule: "own.comfort.2", Tested: model.Order{At: at("2026-04-20T13:00:00Z")}, MaxTested: testAlert().Raised},
		{
			Rule: "climbing.1", Tested: testAlert().Raised, MaxTested: testAlert().Raised,
			RuleMemory: storage.RuleMemory{
				Since: &model.Order{At: at("2026-04-20T13:00:00Z")},
				Last:  &storage.Moment{At: at("2026-04-20T14:00:00Z"), Event: "b7", Value: model.MustDecimal("31.5")},
			},
		},
	}}
	alert := func(a storage.Alert) form {
		return form{entity: a, encode: func() (item.Item, error) {
			return item.FromAlert(&a, 3), nil
		}, decode: func(it item.Item) (any, error) { return item.Alert(it) }}
	}
	notification := func(n storage.Notification) form {
		return form{entity: n, encode: func() (item.Item, error) {
			return item.FromNotification(&n, 3), nil
		}, decode: func(it item.Item) (any, error) { return item.Notification(it) }}
	}
	rule := func(r storage.Rule) form {
		return form{entity: r, encode: func() (item.Item, error) {
			return item.FromRule(&r), nil
		}, decode: func(it item.Item) (any, error) { return item.Rule(it) }}
	}
	return map[string]form{
		"alert-open": alert(open), "alert-resolved": alert(closed), "notification": notification(waiting),
		"notification-delivered": notification(delivered), "rule": rule(ofType),
		"rule-own-removed": rule(own),
		"alert-state": {
			entity: state, encode: func() (item.Item, error) { return item.FromAlertState(&state), nil },
			decode: func(it item.Item) (any, error) { return item.AlertState(it) },
		},
	}
}

func TestAlerts_DecodersRejectInvalidItems(t *testing.T) {
	for name, f := range alertForms() {
		for what, c := range map[string]struct {
			change func(item.Item)
			want   error
		}{
			"wrong key":     {func(it item.Item) { it[keys.AttrSK] = item.Value{Type: item.S, S: "METADATA"} }, keys.ErrKeyForm},
			"newer version": {func(it item.Item) { it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"} }, item.ErrNewer},
			"no JSON": {func(it item.Item) {
				for _, attr := range []string{tablekeys.AttrAlert, tablekeys.AttrRule, tablekeys.AttrTested} {
					if _, exists := it[attr]; exists {
						it[attr] = item.Value{Type: item.S, S: "?"}
					}
				}
			}, item.ErrDamaged},
		} {
			it, err := f.encode()
			if err != nil {
				t.Fatal(err)
			}
			c.change(it)
			if _, err := f.decode(it); !errors.Is(err, c.want) {
				t.Errorf("%s with %s: %v, want %v", name, what, err, c.want)
			}
		}
	}
}

// Open alerts and undelivered notifications are in the first index.
func TestAlerts_AreIndexedWhileOpenOrUndelivered(t *testing.T) {
	for name, listed := range map[string]string{"alert-open": "OPEN#critical#3", "alert-resolved": "",
		"notification": "OUTBOX#3", "notification-delivered": ""} {
		it, err := alertForms()[name].encode()
		if err != nil || it.IndexKey(keys.IndexGSI1).PK != listed {
			t.Errorf("%s has the index partition %q, %v; want %q", name, it.IndexKey(keys.IndexGSI1).PK, err, listed)
		}
	}
}
