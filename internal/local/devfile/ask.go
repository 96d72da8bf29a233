package devfile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// longestState bounds the response to a question for a state. A dev waits for a few seconds at most.
const longestState = time.Minute

// Ask decodes the state that a dev has at a URL. The error is a usage error if another program responds
// there.
func Ask(ctx context.Context, url string, state any) error {
	ctx, cancel := context.WithTimeout(ctx, longestState)
	defer cancel()
	return request(ctx, http.MethodGet, url, nil, state)
}

// Change posts a change to the URL of a dev's state and decodes the state then. It asks for the state first,
// as a change may take long: to move the clock runs the schedules on the way.
func Change(ctx context.Context, url string, change, state any) error {
	if err := Ask(ctx, url, state); err != nil {
		return err
	}
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return request(ctx, http.MethodPost, url, body, state)
}

func request(ctx context.Context, method, url string, body []byte, state any) error {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return usererr.Errorf("ask the dev: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("ask the dev: %w: check that it runs, or start it again", err)
	}
	defer resp.Body.Close()
	if resp.Header.Get(IDHeader) == "" {
		return usererr.Errorf("%s is not of a running \"tidemark dev\" (%s): start one, or change the URL",
			url, resp.Status)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("ask the dev: %w: check that it runs, or start it again", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask the dev: %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	if err := json.Unmarshal(text, state); err != nil {
		return fmt.Errorf("ask the dev: %s: %w: it has another version of Tidemark", url, err)
	}
	return nil
}
