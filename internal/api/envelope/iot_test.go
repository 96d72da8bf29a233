package envelope_test

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
)

func TestFromRule_ReadsTheFieldsOfTheRule(t *testing.T) {
	t.Parallel()
	got := envelope.FromRule(
		[]byte(`[{"tidemark_subject":"a","t":1,"tidemark_kind":"STATUS"},{"deviceId":"b"}]`), "7", "READING", 10)
	if len(got) != 2 {
		t.Fatalf("got %d messages, want 2", len(got))
	}
	first := got[0]
	if first.Kind != "STATUS" || first.Subject != "a" || first.Origin != "7/0" {
		t.Errorf("first: kind %q, subject %q, origin %q; want STATUS, a, 7/0", first.Kind, first.Subject,
			first.Origin)
	}
	if want := []ingest.Field{{Name: "t", Form: ingest.NumberForm, Text: "1"}}; !slices.Equal(first.Fields,
		want) {
		t.Errorf("first: fields %+v, want only the device's", first.Fields)
	}
	if second := got[1]; second.Kind != "READING" || second.Subject != "" || second.Origin != "7/1" ||
		string(second.Payload) != `{"deviceId":"b"}` {
		t.Errorf("second: %+v, want a READING without the rule's fields", second)
	}
}

func TestFromRule_HasNoOriginWithoutADelivery(t *testing.T) {
	t.Parallel()
	if got := envelope.FromRule([]byte(`{}`), "", "READING", 10)[0].Origin; got != "" {
		t.Errorf("origin %q, want none: two deliveries would have the same origin", got)
	}
}

// FuzzFromRule checks that no message has the rule's fields among its own, or loses its
// payload.
func FuzzFromRule(f *testing.F) {
	testenv.AddCorpus(f)
	for _, seed := range []string{`{"tidemark_subject":"a","t":1}`, `[{},5]`, `{"tidemark_kind":[]}`, `[`, ``,
		`nul`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for i, m := range envelope.FromRule(payload, "1", "READING", 100) {
			named := slices.ContainsFunc(m.Fields, func(f ingest.Field) bool {
				return f.Name == envelope.RuleSubject || f.Name == envelope.RuleKind
			})
			if named || len(m.Payload) == 0 && len(payload) > 0 {
				t.Errorf("%q: message %d is %+v", payload, i, m)
			}
		}
	})
}
