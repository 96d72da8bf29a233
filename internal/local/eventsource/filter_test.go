package eventsource_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

func TestFilter_Patterns(t *testing.T) {
	const event = ` {"eventName": "INSERT", "n": 7, "b": true, "z": null, "dynamodb" : {"Keys":{"pk":{"S":"DEVICE#\u0031"},"sk":{"S":"EVENT#READING##x"}},"x":[1,{"a":"}"}]} , "last":"é" } `
	for pattern, want := range map[string]bool{
		`{"eventName":["INSERT"]}`:          true,
		`{"eventName":["MODIFY","INSERT"]}`: true,
		`{"eventName":["MODIFY"]}`:          false,
		`{"eventName":["INSERT"],"n":[8]}`:  false,
		`{"eventName":["INSERT"],"n":[7]}`:  true,
		`{"n":["7"]}`:                       false,
		`{"b":[true]}`:                      true,
		`{"z":[null]}`:                      true,
		`{"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"EVENT#"}]}}}}`:            true,
		`{"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"AGG#"}]}}}}`:              false,
		`{"dynamodb":{"Keys":{"sk":{"S":[{"suffix":"#x"}]}}}}`:                true,
		`{"dynamodb":{"Keys":{"pk":{"S":["DEVICE#1"]}}}}`:                     true,
		`{"eventName":[{"equals-ignore-case":"insert"}]}`:                     true,
		`{"eventName":[{"anything-but":["MODIFY","REMOVE"]}]}`:                true,
		`{"eventName":[{"anything-but":"INSERT"}]}`:                           false,
		`{"missing":[{"anything-but":"INSERT"}]}`:                             false,
		`{"missing":[{"exists":false}]}`:                                      true,
		`{"userIdentity":{"type":[{"exists":false}]}}`:                        true,
		`{"eventName":[{"exists":false}]}`:                                    false,
		`{"last":[{"exists":true}]}`:                                          true,
		`{"last":["é"]}`:                                                      true,
		`{"missing":["x"]}`:                                                   false,
		`{"eventName":{"deeper":["x"]}}`:                                      false,
		`{"dynamodb":{"x":[{"exists":true}],"Keys":{"pk":{"N":["1"]}}}}`:      false,
		`{"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"A"},{"prefix":"EV"}]}}}}`: true,
	} {
		f, err := eventsource.ParseFilter(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if got := f.Match([]byte(event)); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}

func TestFilter_PassesIfOnePatternMatches(t *testing.T) {
	f, err := eventsource.ParseFilter(`{"a":["1"]}`, `{"b":["2"]}`)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]bool{`{"a":"1"}`: true, `{"b":"2","a":"0"}`: true,
		`{"a":"2","b":"1"}`: false, `{}`: false} {
		if got := f.Match([]byte(body)); got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
	if !eventsource.Filter(nil).Match([]byte(`{}`)) {
		t.Error("an empty filter passed nothing, want everything")
	}
}

func TestParseFilter_RejectsUnknownOperators(t *testing.T) {
	for _, pattern := range []string{
		``, `[]`, `7`, `{}`, `{"a":7}`, `{"a":[]}`, `{"a":{}}`,
		`{"a":[{"numeric":[">",5]}]}`, `{"a":[{"prefix":7}]}`, `{"a":[{"exists":"no"}]}`,
		`{"a":[{"prefix":"x","suffix":"y"}]}`, `{"a":[{"anything-but":{"prefix":"x"}}]}`, `{"$or":[{"a":["1"]}]}`,
	} {
		if f, err := eventsource.ParseFilter(pattern); err == nil {
			t.Errorf("%s compiles to %v", pattern, f)
		}
	}
}

// The deployed filter passes events and the heartbeat, and neither rollups nor removals by TTL.
func TestFilter_DeployedFilterPassesOnlyEvents(t *testing.T) {
	f, err := eventsource.ParseFilter(tablekeys.AggregateFilter)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]bool{
		`{"dynamodb":{"Keys":{"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"}}}}`:                                       true,
		`{"dynamodb":{"Keys":{"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"}}},"userIdentity":null}`:                   true,
		`{"dynamodb":{"Keys":{"sk":{"S":"EVENT#READING##2026-04-20T14:00:00.000Z#"}}},"userIdentity":{"type":"Service"}}`:     false,
		`{"dynamodb":{"Keys":{"pk":{"S":"JOB#aggregate"},"sk":{"S":"HEARTBEAT"}}}}`:                                           true,
		`{"dynamodb":{"Keys":{"pk":{"S":"JOB#aggregate"},"sk":{"S":"WATERMARK"}}}}`:                                           false,
		`{"dynamodb":{"Keys":{"sk":{"S":"AGG#hour#READING##2026-04-20-14"}}}}`:                                                false,
		`{"dynamodb":{"Keys":{"sk":{"S":"CURRENT#READING#"}},"NewImage":{"Keys":{"sk":{"S":"EVENT#"}},"sk":{"S":"EVENT#"}}}}`: false,
	} {
		if got := f.Match([]byte(body)); got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}

// Scanning the bytes gives the same results as decoding the JSON.
func FuzzFilter(f *testing.F) {
	testenv.AddCorpus(f)
	f.Add(`{"a":{"b":"x"}}`, "a", "b")
	f.Add(`{"\u0061":{"c":[{"b":1},"}"],"b":"\"x<"}}`, "a", "b")
	f.Fuzz(func(t *testing.T, text, outer, inner string) {
		var decoded map[string]any
		if json.Unmarshal([]byte(text), &decoded) != nil || decoded == nil || !utf8.ValidString(outer+inner) {
			return
		}
		pattern, _ := json.Marshal(
			map[string]any{outer: map[string]any{inner: []any{map[string]any{"exists": true}}}})
		filter, err := eventsource.ParseFilter(string(pattern))
		if err != nil {
			t.Fatal(err)
		}
		object, _ := decoded[outer].(map[string]any)
		_, want := object[inner]
		tight, _ := json.Marshal(decoded) // without duplicate names
		wide, _ := json.MarshalIndent(decoded, "\r", "\t")
		for _, body := range [][]byte{tight, wide} {
			if got := filter.Match(body); got != want {
				t.Errorf("%s of %s: found %v, want %v", pattern, body, got, want)
			}
		}
	})
}
