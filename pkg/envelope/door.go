package envelope

import "encoding/json"

// Door is a way in, told by the shape of what it sends.
type Door string

// The doors of observations.
const (
	HTTP Door = "http" // API Gateway's HTTP API, payload format 2.0: the caller is told
	IoT  Door = "iot"  // an IoT rule: nobody is told, so what is rejected is kept
)

// DoorOf tells whose payload it is. What a rule has marked with a topic's subject is
// a device's message whatever else it says: a device cannot pass for a caller of the
// HTTP API.
func DoorOf(payload []byte) Door {
	var shape struct {
		Version        string          `json:"version"`
		Subject        json.RawMessage `json:"tidemark_subject"`
		RequestContext struct {
			HTTP struct {
				Method string `json:"method"`
			} `json:"http"`
		} `json:"requestContext"`
	}
	err := json.Unmarshal(payload, &shape)
	if err == nil && shape.Version == "2.0" && shape.RequestContext.HTTP.Method != "" && shape.Subject == nil {
		return HTTP
	}
	return IoT
}
