package replay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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

// known reports whether the API of Tidemark returns an outcome.
func known(outcome model.Outcome) bool {
	return outcome == model.Unknown || outcome != storedBefore && slices.Contains(outcomes, outcome)
}

// busyError is a response that says when to send the request again.
type busyError struct {
	error
	after time.Duration
}

func (e *busyError) Unwrap() error { return e.error }

// longestAfter bounds for how many seconds one response can make a request wait.
const longestAfter = 60

// readResponse reads the results of a request of n observations. Each has one of the outcomes: another server
// may return a list of the same length.
func readResponse(url string, resp *http.Response, body []byte, n int) ([]result, error) {
	var results []result
	err := json.Unmarshal(body, &results)
	if resp.StatusCode != http.StatusOK && (resp.StatusCode != http.StatusServiceUnavailable || err != nil) {
		return nil, refused(url, resp, body)
	}
	if err != nil {
		return nil, fmt.Errorf(
			"%s returned %s without a list of outcomes: %w; is this the URL of Tidemark's HTTP API?", url, resp.Status,
			err)
	}
	if len(results) != n {
		return nil, fmt.Errorf("%s returned %s with %d outcomes for %d observations", url, resp.Status,
			len(results), n)
	}
	for _, r := range results {
		if !known(r.Outcome) {
			return nil, fmt.Errorf(
				"%s returned %s with %q, which is no outcome: is this the URL of Tidemark's HTTP API?",
				url, resp.Status, r.Outcome)
		}
	}
	return results, nil
}

// refused returns the error of a response without outcomes, with its class.
func refused(url string, resp *http.Response, body []byte) error {
	err := Refusal(url, resp, body)
	if resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusTooManyRequests {
		return &permanentError{err}
	}
	if after, _ := strconv.Atoi(resp.Header.Get("Retry-After")); after > 0 {
		return &busyError{err, time.Duration(min(after, longestAfter)) * time.Second}
	}
	return err
}

// Refusal returns the error of a response without what was asked for: its status, and where it redirects to
// or its first line.
func Refusal(url string, resp *http.Response, body []byte) error {
	if to := resp.Header.Get("Location"); to != "" {
		return fmt.Errorf("%s returned %s, to %s: requests are not redirected, so pass the URL of the HTTP "+
			"API itself", url, resp.Status, to)
	}
	if line := firstLine(body); line != "" {
		return fmt.Errorf("%s returned %s: %s", url, resp.Status, line)
	}
	return fmt.Errorf("%s returned %s without a body: is this the URL of Tidemark's HTTP API?", url,
		resp.Status)
}

// firstLine returns the first line of a response, shortened to fit an error message.
func firstLine(body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if len(line) > 300 {
		line = line[:300] + "…"
	}
	return line
}
