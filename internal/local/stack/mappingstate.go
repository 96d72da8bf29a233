package stack

import (
	"encoding/json"
	"errors"
	"net/http"
)

// PathMapping is the route of the event source mapping of aggregate.
const PathMapping = "/local/mapping"

// MappingState is the request of POST PathMapping, and the response of it and of GET.
type MappingState struct {
	Enabled bool `json:"enabled"`
}

// errDisabled reports that changes are not processed, because the mapping was disabled.
var errDisabled = errors.New(
	"the mapping is disabled, so that nothing is processed: enable it with tidemark dev mapping on")

// EnableMapping enables or disables the mapping. A disabled one reads no records, as in AWS: those that are
// older than the table stream keeps them are lost when it is enabled again.
func (s *Stack) EnableMapping(enabled bool) { s.source.disabled.Store(!enabled) }

func (s *Stack) mappingState() MappingState { return MappingState{Enabled: !s.source.disabled.Load()} }

// serveMapping enables or disables the mapping.
func (s *Stack) serveMapping(w http.ResponseWriter, r *http.Request) {
	var to MappingState
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&to); err != nil {
		writeMessage(w, http.StatusBadRequest, err.Error())
		return
	}
	s.EnableMapping(to.Enabled)
	s.serveMappingState(w, r)
}

// serveMappingState says whether the mapping is enabled.
func (s *Stack) serveMappingState(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.mappingState())
}
