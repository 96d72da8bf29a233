package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Part is the part of a scheduled invocation of aggregate: sweep number Sweep, from 0, of Sweeps
// that share the queue shards.
type Part struct {
	Sweep  int `json:"sweep"`
	Sweeps int `json:"sweeps"`
}

// Payload returns the scheduled event of a part.
func (p Part) Payload() string {
	return fmt.Sprintf(`{"detail-type":"Scheduled Event","sweep":%d,"sweeps":%d}`, p.Sweep, p.Sweeps)
}

// IsScheduled reports whether a payload is a scheduled event.
func IsScheduled(payload []byte) bool {
	return !bytes.Contains(payload, []byte(`"Records"`)) && bytes.Contains(payload, []byte(`"detail-type"`))
}

// ParsePart returns the part of a scheduled event; one without a part is the whole.
func ParsePart(payload []byte) Part {
	var p Part
	if json.Unmarshal(payload, &p) != nil || p.Sweep < 0 || p.Sweep >= p.Sweeps {
		return Part{Sweeps: 1}
	}
	return p
}
