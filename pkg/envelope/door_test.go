package envelope_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/pkg/envelope"
)

func TestDoorOf(t *testing.T) {
	t.Parallel()
	cases := map[string]envelope.Door{
		`{"version":"2.0","requestContext":{"http":{"method":"POST"}}}`:                        envelope.HTTP,
		`{"version":"2.0","requestContext":{"http":{"method":"POST"}},"tidemark_subject":"a"}`: envelope.IoT,
		`{"version":"1.0","requestContext":{"http":{"method":"POST"}}}`:                        envelope.IoT,
		`{"version":2,"requestContext":{"http":{"method":"POST"}}}`:                            envelope.IoT,
		`{"version":"2.0"}`: envelope.IoT,
		`{"temperature":1}`: envelope.IoT,
		`[{}]`:              envelope.IoT,
		`5`:                 envelope.IoT,
		``:                  envelope.IoT,
	}
	for payload, want := range cases {
		if got := envelope.DoorOf([]byte(payload)); got != want {
			t.Errorf("%s: got %s, want %s", payload, got, want)
		}
	}
}
