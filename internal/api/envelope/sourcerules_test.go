package envelope

import (
	"errors"
	"testing"
)

// A source without a decoder would end the function when its first batch comes.
func TestSources_EachHasADecoder(t *testing.T) {
	t.Parallel()
	batches := 0
	for _, rule := range sourceRules {
		if single := rule.source == HTTP || rule.source == IoT; single == (rule.records != nil) {
			t.Errorf("the source %s has a decoder of batches: %t", rule.source, rule.records != nil)
		}
		if rule.records != nil {
			batches++
		}
	}
	if batches < 2 {
		t.Errorf("%d sources have batches, want queues and streams", batches)
	}
	if _, err := FromBatch("kafka", []byte(`{}`), "READING", 1); !errors.Is(err, ErrUnknownSource) {
		t.Errorf("a batch of another source: %v, want that the source is unknown", err)
	}
}
