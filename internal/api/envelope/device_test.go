package envelope_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
)

// batchOfDevice is what the rule for batches sends.
func batchOfDevice(subject, kind, array string) []byte {
	return fmt.Appendf(nil, `{"tidemark_batch":%q,"tidemark_subject":%q,"tidemark_kind":%q}`,
		base64.StdEncoding.EncodeToString([]byte(array)), subject, kind)
}

func TestFromDevice_EveryMessageIsAboutTheSubjectOfTheRule(t *testing.T) {
	t.Parallel()
	array := `[{"t":1},{"tidemark_subject":"b","tidemark_kind":"OTHER","t":2},5]`
	got := envelope.FromDevice(batchOfDevice("a", "STATUS", array), "7", "READING", 10)
	if len(got) != 3 {
		t.Fatalf("got %d messages, want 3", len(got))
	}
	for i, m := range got {
		if m.Subject != "a" || m.Kind != "STATUS" || m.Origin != fmt.Sprintf("7/%d", i) {
			t.Errorf("message %d is %s of %q, origin %q; want STATUS of a", i, m.Kind, m.Subject, m.Origin)
		}
	}
	if string(got[0].Payload) != `{"tidemark_kind":"STATUS","tidemark_subject":"a","t":1}` {
		t.Errorf("the payload is %s: want the rule's fields in it, for a retry", got[0].Payload)
	}
	if got[2].DecodeError == nil {
		t.Error("a number was decoded as an observation")
	}
}

func TestFromDevice_RefusesWhatNoRuleHasMarked(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		`[{"deviceId":"b","t":1}]`, `[{"tidemark_subject":"b","t":1}]`, `{"deviceId":"b"}`, `{}`, `5`, `nul`, ``,
		`{"tidemark_subject":null,"deviceId":"b"}`, `{"tidemark_subject":"","deviceId":"b"}`,
	} {
		got := envelope.FromDevice([]byte(payload), "7", "READING", 10)
		if len(got) != 1 || got[0].DecodeError == nil || got[0].DecodeError.Code != ingest.CodeUnmarked ||
			string(got[0].Payload) != payload {
			t.Errorf("%s is decoded as %+v, want one refusal with the payload", payload, got)
		}
	}
	for _, payload := range []string{`{"tidemark_batch":"%","tidemark_subject":"a"}`,
		`{"tidemark_batch":5,"tidemark_subject":"a"}`} {
		if got := envelope.FromDevice([]byte(payload), "", "READING", 10); len(got) != 1 ||
			got[0].DecodeError == nil {
			t.Errorf("%s is decoded as %+v, want one refusal", payload, got)
		}
	}
}

// A batch as long as its limit is decoded, a longer one refused as a whole.
func TestFromDevice_LimitsABatch(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{10: 10, 11: 1} {
		array := "[" + strings.TrimSuffix(strings.Repeat(`{"t":1},`, n), ",") + "]"
		got := envelope.FromDevice(batchOfDevice("a", "READING", array), "7", "READING", 10)
		if len(got) != want || (got[0].DecodeError != nil) != (want == 1) {
			t.Errorf("a batch of %d has %d messages, the first with error %v", n, len(got), got[0].DecodeError)
		}
	}
}

// Whatever a device sends through either rule, no message is about another subject.
func FuzzFromDevice(f *testing.F) {
	f.Add(`[{"tidemark_subject":"b"}]`, `"t":1`)
	f.Fuzz(func(t *testing.T, batch, members string) {
		one := []byte(`{` + members + `,"tidemark_subject":"a"}`)
		for _, payload := range [][]byte{batchOfDevice("a", "READING", batch), one, []byte(batch)} {
			for _, m := range envelope.FromDevice(payload, "1", "READING", 100) {
				if m.DecodeError == nil && m.Subject != "a" {
					t.Errorf("%s: a message about %q", payload, m.Subject)
				}
			}
		}
	})
}
