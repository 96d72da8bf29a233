package envelope_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

// The samples of ingest are what the deployed rules send. ByRule makes the same of a message.
func TestByRule_SendsWhatTheDeployedRulesSend(t *testing.T) {
	t.Parallel()
	const reading = `"timestamp":"2026-04-20T14:00:00Z","temperature":22.4`
	for _, test := range []struct {
		name, message, kind, want string
		batch                     bool
	}{
		{name: "one", message: `{` + reading + `}`, kind: "WEATHER", want: "iot-unknown-kind.json"},
		{name: "its own fields of the rule", message: `{"tidemark_subject":"sensor_02","tidemark_kind":7,` + reading + `}`, kind: "WEATHER", want: "iot-unknown-kind.json"},
		{name: "a batch", kind: "READING", batch: true, want: "iot-batch.json", message: `[` +
			`{"deviceId":"sensor_01","timestamp":"2026-04-20T13:55:00Z","temperature":22.1},` +
			`{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z","temperature":22.4},` +
			`{"deviceId":"sensor_01","timestamp":"soon","temperature":22.6}]`},
	} {
		got, err := envelope.ByRule([]byte(test.message), test.kind, "sensor_01", test.batch)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		want, err := os.ReadFile(filepath.Join("../../../events/ingest", test.want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, want), decoded(t, got)); diff != "" {
			t.Errorf("%s (-%s +got):\n%s", test.name, test.want, diff)
		}
	}
}

func decoded(t *testing.T, data []byte) (fields map[string]any) {
	t.Helper()
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return fields
}

func TestByRule_KeepsTheDigitsOfANumber(t *testing.T) {
	t.Parallel()
	payload, err := envelope.ByRule([]byte(`{"value":0.12345678901234567890}`), "READING", "a", false)
	if want := `{"tidemark_kind":"READING","tidemark_subject":"a","value":0.12345678901234567890}`; string(
		payload) != want || err != nil {
		t.Errorf("ByRule = %s, %v; want %s", payload, err, want)
	}
}

func TestByRule_ArrayPassesWithoutASubject(t *testing.T) {
	t.Parallel()
	payload, err := envelope.ByRule([]byte(`[{}]`), "READING", "a", false)
	if string(payload) != `[{}]` || err != nil {
		t.Errorf("ByRule = %s, %v; want the array", payload, err)
	}
}

func TestByRule_MessageThatIsNotJSONIsAnError(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"", "22.4 C", `{"value":`, "\xff"} {
		if payload, err := envelope.ByRule([]byte(message), "READING", "a", false); !errors.Is(err,
			envelope.ErrRule) {
			t.Errorf("ByRule(%q) = %s, %v; want ErrRule", message, payload, err)
		}
	}
}
