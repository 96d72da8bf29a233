package tablekeys_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestAlertKeys_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.StringN(1, 12, -1)
		s := model.Subject{Type: "DEVICE", ID: some.Draw(t, "subject")}
		id := some.Draw(t, "alert")
		if got, alert, err := tablekeys.ParseAlert(tablekeys.Alert(s, id)); err != nil || got != s || alert != id {
			t.Fatalf("alert: got %v %q, %v; want %v %q", got, alert, err, s, id)
		}
		n := storage.Notification{Alert: storage.Alert{ID: id, Series: model.Series{Subject: s},
			Rev: [16]byte{byte(len(id)), 7}}}
		if got, alert, rev, err := tablekeys.ParseNotification(tablekeys.Notification(&n)); err != nil ||
			got != s || alert != id || rev != n.Alert.Rev {
			t.Fatalf("notification: got %v %q %v, %v; want %v %q %v", got, alert, rev, err, s, id, n.Alert.Rev)
		}
		series := model.Series{Subject: s, Kind: some.Draw(t, "kind"), Stream: rapid.String().Draw(t, "stream")}
		got, err := tablekeys.ParseRule(tablekeys.AlertState(series))
		if want := (tablekeys.RuleItem{SubjectType: s.Type, Subject: s.ID, Kind: series.Kind, State: true,
			Stream: series.Stream}); err != nil || got != want {
			t.Fatalf("state: %+v, %v; want %+v", got, err, want)
		}
		for _, subject := range []string{"", s.ID} {
			r := storage.Rule{Name: some.Draw(t, "name"), Revision: 3, SubjectType: s.Type, Subject: subject,
				Kind: series.Kind}
			got, err := tablekeys.ParseRule(tablekeys.Rule(&r))
			if want := (tablekeys.RuleItem{SubjectType: s.Type, Subject: subject, Kind: r.Kind,
				Rule: r.ID()}); err != nil || got != want {
				t.Fatalf("rule: %+v, %v; want %+v", got, err, want)
			}
		}
		if got, err := tablekeys.ParseRule(tablekeys.SubjectRulesMarker(s.Type, series.Kind)); err != nil ||
			got != (tablekeys.RuleItem{SubjectType: s.Type, Kind: series.Kind}) {
			t.Fatalf("marker: %+v, %v", got, err)
		}
	})
}

func TestAlertKeys_RefuseOtherKeys(t *testing.T) {
	for _, k := range []keys.Key{
		{PK: "DEVICE#a", SK: "METADATA"}, {PK: "DEVICE#a", SK: "ALERT#"}, {PK: "DEVICE#a", SK: "NOTICE#x#00"}, {PK: "DEVICE#a", SK: "RULE#K"},
		{PK: "DEVICE#a", SK: "RULE#K#SUBJECTS"}, {PK: "RULE#DEVICE", SK: "K#STATE#s"}, {PK: "RULE#DEVICE", SK: "#RULE#x.1"}, {PK: "DEVICE#a#2", SK: "RULE#K#RULE#x.1"},
	} {
		_, _, alert := tablekeys.ParseAlert(k)
		_, _, _, notification := tablekeys.ParseNotification(k)
		_, rule := tablekeys.ParseRule(k)
		for what, err := range map[string]error{"alert": alert, "notification": notification, "rule": rule} {
			if !errors.Is(err, keys.ErrKeyForm) {
				t.Errorf("%v as %s: %v, want %v", k, what, err, keys.ErrKeyForm)
			}
		}
	}
	if !reserved.Type(tablekeys.ClassRule) {
		t.Error("RULE must be reserved: partitions of rules begin with it")
	}
}
