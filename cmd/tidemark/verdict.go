package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// verdict is one outcome as the front answers it.
type verdict struct {
	Verdict model.Verdict      `json:"verdict"`
	Errors  []model.FieldError `json:"errors"`
}

// lineOfRequest is where a line that cannot be read stood in the request, which tells
// people nothing: they know their files.
var lineOfRequest = regexp.MustCompile(`^line \d+: `)

// why is what was wrong with a rejected observation.
func (v verdict) why() string {
	reasons := make([]string, len(v.Errors))
	for i, e := range v.Errors {
		reasons[i] = lineOfRequest.ReplaceAllString(e.Error(), "")
	}
	return strings.Join(reasons, "; ")
}

// readVerdicts reads the list of outcomes of a batch.
func readVerdicts(body []byte) ([]verdict, error) {
	var list []verdict
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("not a list of outcomes: %w; is it the front of Tidemark?", err)
	}
	return list, nil
}
