package stack

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
)

// metrics sums the counters in the metric lines that functions print, as CloudWatch Logs does. Write
// must receive whole lines.
type metrics struct {
	mu  sync.Mutex
	sum map[string]float64 // guarded by mu; by metric name
}

// counted has the names of the counters.
var counted = func() map[string]bool {
	names := map[string]bool{}
	for _, d := range telemetry.Catalogue() {
		if d.Unit == telemetry.Count {
			names[string(d.Metric)] = true
		}
	}
	return names
}()

// metadataMark occurs in every metric line and in no other.
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
		return // cut off when the process was killed
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

// sums returns the totals by metric name, 0 for a counter that was not published.
func (m *metrics) sums() map[string]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]float64{}
	for name := range counted {
		all[name] = m.sum[name]
	}
	return all
}
