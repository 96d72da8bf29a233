package local

import (
	"bytes"
	"encoding/json"
	"maps"
	"sync"

	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// metrics adds up what functions count: it reads the metric lines among what they
// print, as CloudWatch Logs does. It takes whole lines.
type metrics struct {
	mu  sync.Mutex
	sum map[string]float64 // guarded by mu; by metric name
}

// counted are the names of the metrics that add up.
var counted = func() map[string]bool {
	names := map[string]bool{}
	for _, d := range telemetry.Catalogue() {
		if d.Unit == telemetry.Count {
			names[d.Name] = true
		}
	}
	return names
}()

// metadataMark is in every metric line and in no other.
var metadataMark = []byte(`"_aws":`)

func (m *metrics) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if bytes.Contains(line, metadataMark) {
			m.add(line)
		}
	}
	return len(p), nil
}

func (m *metrics) add(line []byte) {
	var members map[string]any
	if json.Unmarshal(line, &members) != nil {
		return // the last words of a process that was killed
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sum == nil {
		m.sum = map[string]float64{}
	}
	for name, value := range members {
		if n, ok := value.(float64); ok && counted[name] {
			m.sum[name] += n
		}
	}
}

// sums are the totals so far by metric name.
func (m *metrics) sums() map[string]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.sum)
}
