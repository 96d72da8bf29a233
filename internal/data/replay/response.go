package replay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxResponse bounds a response, in bytes.
const maxResponse = 64 << 20

// result is the API's outcome of one observation.
type result struct {
	Outcome model.Outcome `json:"outcome"`
	Invalid []string      `json:"invalid"`
	// NotStored are the parts that are not stored as they were sent.
	NotStored []model.FieldError `json:"notStored"`
	Errors    []model.FieldError `json:"errors"`
}

// requestLine is the line number within the request. It is removed from reasons: users
// know the lines of their files.
var requestLine = regexp.MustCompile(`^line \d+: `)

// reason returns why an observation was rejected.
func (r result) reason() string {
	return strings.Join(lists.Map(r.Errors, func(e model.FieldError) string {
		return requestLine.ReplaceAllString(e.Error(), "")
	}), "; ")
}

// permanentError is a response that would be the same if the request were repeated.
type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// readResponse reads the results of a request of n observations.
func readResponse(url string, resp *http.Response, body []byte, n int) ([]result, error) {
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
		err := fmt.Errorf("%s returned %s: %s", url, resp.Status, FirstLine(body))
		if resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusTooManyRequests {
			err = &permanentError{err}
		}
		return nil, err
	}
	var results []result
	if err := json.Unmarshal(body, &results); err != nil {
		return nil, fmt.Errorf(
			"%s returned %s without a list of outcomes: %w; is this the URL of Tidemark's HTTP API?", url, resp.Status,
			err)
	}
	if len(results) != n {
		return nil, fmt.Errorf("%s returned %s with %d outcomes for %d observations", url, resp.Status,
			len(results), n)
	}
	return results, nil
}

// FirstLine returns the first line of a response, shortened to fit an error message.
func FirstLine(body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if len(line) > 300 {
		line = line[:300] + "…"
	}
	return line
}
