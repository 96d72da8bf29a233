package keys_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestReserved_AreOurNamesAndEveryUnderscore(t *testing.T) {
	for name, want := range map[string]bool{
		keys.AttrPK: true, keys.AttrSK: true, keys.AttrGSI1PK: true, keys.AttrGSI1SK: true, keys.AttrGSI2PK: true, keys.AttrGSI2SK: true,
		keys.AttrVersion: true, keys.AttrExpiresAt: true, keys.AttrCreatedAt: true,
		keys.AttrAt: true, keys.AttrSummary: true, keys.AttrPayload: true, "_": true, "_anything": true,
		"": false, "temperature": false, "PK": false, "expiresat": false, "a_b": false, "pk ": false,
	} {
		if got := keys.Reserved(name); got != want {
			t.Errorf("Reserved(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestReservedType_AreThePartitionsOfOurOwn(t *testing.T) {
	for name, want := range map[string]bool{
		keys.ClassGate: true, keys.ClassQuarantine: true, "UNIQUE": true, "JOB": true, "DEVICE": false, "SITE": false, "": false,
	} {
		if got := keys.ReservedType(name); got != want {
			t.Errorf("ReservedType(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestEventPrefix_BeginsEventsAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, r := anyEventKey().Draw(t, "event"), anyRowKey().Draw(t, "row")
		if sk := keys.Event(e).SK; !strings.HasPrefix(sk, keys.EventPrefix) {
			t.Fatalf("event %q does not begin with %s", sk, keys.EventPrefix)
		}
		for _, k := range []keys.Key{keys.Current(e.Series), keys.Row(r), keys.Metadata(e.Series.Subject), keys.Gate(e.Series.Subject)} {
			if strings.HasPrefix(k.SK, keys.EventPrefix) {
				t.Fatalf("%q would be fed to the aggregate function", k.SK)
			}
		}
	})
}

func TestAggregateFilter_IsThePatternLambdaReads(t *testing.T) {
	var pattern struct {
		DynamoDB struct {
			Keys map[string]struct{ S []struct{ Prefix string } }
		}
		UserIdentity struct{ Type []struct{ Exists *bool } }
	}
	d := json.NewDecoder(strings.NewReader(keys.AggregateFilter))
	d.DisallowUnknownFields()
	if err := d.Decode(&pattern); err != nil {
		t.Fatal(err)
	}
	if sk := pattern.DynamoDB.Keys[keys.AttrSK].S; len(sk) != 1 || sk[0].Prefix != keys.EventPrefix {
		t.Errorf("the sort key must begin with %s: %s", keys.EventPrefix, keys.AggregateFilter)
	}
	if who := pattern.UserIdentity.Type; len(who) != 1 || who[0].Exists == nil || *who[0].Exists {
		t.Errorf("removals by TTL must be left out: %s", keys.AggregateFilter)
	}
	if want := `{"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"EVENT#"}]}}},"userIdentity":{"type":[{"exists":false}]}}`; keys.AggregateFilter != want {
		t.Errorf("got %s, want %s", keys.AggregateFilter, want)
	}
}
