package tablekeys_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestAggregateFilter_IsAValidLambdaPattern(t *testing.T) {
	var pattern struct {
		DynamoDB struct {
			Keys map[string]struct{ S []any }
		}
		UserIdentity struct{ Type []struct{ Exists *bool } }
	}
	d := json.NewDecoder(strings.NewReader(tablekeys.AggregateFilter))
	d.DisallowUnknownFields()
	if err := d.Decode(&pattern); err != nil {
		t.Fatal(err)
	}
	want := []any{
		map[string]any{"prefix": tablekeys.EventPrefix}, tablekeys.ClassMemberships, tablekeys.Heartbeat().SK,
	}
	if sk := pattern.DynamoDB.Keys[keys.AttrSK].S; !reflect.DeepEqual(sk, want) {
		t.Errorf("the sort key must match one of %v: %s", want, tablekeys.AggregateFilter)
	}
	if who := pattern.UserIdentity.Type; len(who) != 1 || who[0].Exists == nil || *who[0].Exists {
		t.Errorf("the filter must exclude removals by TTL: %s", tablekeys.AggregateFilter)
	}
	if want := `{"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"EVENT#"},"GROUPS","HEARTBEAT"]}}},` +
		`"userIdentity":{"type":[{"exists":false}]}}`; tablekeys.AggregateFilter != want {
		t.Errorf("got %s, want %s", tablekeys.AggregateFilter, want)
	}
}

func TestPurgeFilter_MatchesOnlyExpiriesOfTombstones(t *testing.T) {
	filter, err := eventsource.ParseFilter(tablekeys.PurgeFilter)
	if err != nil {
		t.Fatal(err)
	}
	const ttl = `,"userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"}`
	record := func(name, sk, identity string) []byte {
		return []byte(`{"eventName":"` + name + `","dynamodb":{"Keys":{"pk":{"S":"DEVICE#a"},"sk":{"S":"` + sk +
			`"}}}` + identity + `}`)
	}
	for _, c := range []struct {
		what string
		body []byte
		want bool
	}{
		{"a tombstone that expired", record("REMOVE", "DELETED#METADATA", ttl), true},
		{"a tombstone that a user removed", record("REMOVE", "DELETED#METADATA", ""), false},
		{"a tombstone that is written", record("INSERT", "DELETED#METADATA", ""), false},
		{"an event that expired", record("REMOVE", "EVENT#READING##2026-04-20T14:00:00.000Z#", ttl), false},
		{"a version that expired", record("REMOVE", "VERSION#0000000001", ttl), false},
		{"a profile that expired", record("REMOVE", "METADATA", ttl), false},
	} {
		if got := filter.Match(c.body); got != c.want {
			t.Errorf("%s: matches %v, want %v", c.what, got, c.want)
		}
	}
}
