package keys_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestAlertKeys_ComeBackAsTheyWereMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.StringN(1, 12, -1)
		s := model.Subject{Type: "DEVICE", ID: some.Draw(t, "subject")}
		id := some.Draw(t, "alert")
		if got, alert, err := keys.ParseAlert(keys.Alert(s, id)); err != nil || got != s || alert != id {
			t.Fatalf("alert: %v %q, %v", got, alert, err)
		}
		n := model.Notice{Alert: model.Alert{ID: id, Series: model.Series{Subject: s}, Rev: [16]byte{byte(len(id)), 7}}}
		if got, alert, rev, err := keys.ParseNotice(keys.Notice(&n)); err != nil || got != s || alert != id || rev != n.Alert.Rev {
			t.Fatalf("notice: %v %q %v, %v", got, alert, rev, err)
		}
		series := model.Series{Subject: s, Kind: some.Draw(t, "kind"), Stream: rapid.String().Draw(t, "stream")}
		got, err := keys.ParseRule(keys.AlertState(series))
		if want := (keys.RuleItem{SubjectType: s.Type, Subject: s.ID, Kind: series.Kind, State: true, Stream: series.Stream}); err != nil || got != want {
			t.Fatalf("state: %+v, %v; want %+v", got, err, want)
		}
		for _, subject := range []string{"", s.ID} {
			r := model.Rule{Name: some.Draw(t, "name"), Revision: 3, SubjectType: s.Type, Subject: subject, Kind: series.Kind}
			got, err := keys.ParseRule(keys.Rule(&r))
			if want := (keys.RuleItem{SubjectType: s.Type, Subject: subject, Kind: r.Kind, Rule: r.ID()}); err != nil || got != want {
				t.Fatalf("rule: %+v, %v; want %+v", got, err, want)
			}
		}
		if got, err := keys.ParseRule(keys.OwnRules(s.Type, series.Kind)); err != nil || got != (keys.RuleItem{SubjectType: s.Type, Kind: series.Kind}) {
			t.Fatalf("own rules: %+v, %v", got, err)
		}
	})
}

func TestAlertKeys_OfOthersAreForeign(t *testing.T) {
	for _, k := range []keys.Key{
		{PK: "DEVICE#a", SK: "METADATA"}, {PK: "DEVICE#a", SK: "ALERT#"}, {PK: "DEVICE#a", SK: "NOTICE#x#00"}, {PK: "DEVICE#a", SK: "RULE#K"},
		{PK: "DEVICE#a", SK: "RULE#K#SUBJECTS"}, {PK: "RULE#DEVICE", SK: "K#STATE#s"}, {PK: "RULE#DEVICE", SK: "#RULE#x.1"}, {PK: "DEVICE#a#2", SK: "RULE#K#RULE#x.1"},
	} {
		_, _, alert := keys.ParseAlert(k)
		_, _, _, notice := keys.ParseNotice(k)
		_, rule := keys.ParseRule(k)
		for what, err := range map[string]error{"alert": alert, "notice": notice, "rule": rule} {
			if !errors.Is(err, keys.ErrForeign) {
				t.Errorf("%v as %s: %v, want %v", k, what, err, keys.ErrForeign)
			}
		}
	}
	if !keys.ReservedType(keys.ClassRule) {
		t.Error("a subject type may be called RULE, and its partitions would be those of rules")
	}
}
