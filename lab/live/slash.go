package live

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tidemark-db/tidemark/internal/ops/deployment"
)

// signed sends a request that is signed where the API is in AWS.
func (a *account) signed(ctx context.Context, method, path, content string) (
	status int, body []byte, err error,
) {
	client, err := deployment.HTTPClient(a.outputs["ApiUrl"], "", time.Minute,
		func() (aws.Config, error) { return a.config, nil })
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, a.outputs["ApiUrl"]+path, strings.NewReader(content))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return resp.StatusCode, body, err
}

// idWithSlash reads a device whose id has a slash. Where the path ends with the id, only the gateway's route
// tells it from a misspelt kind: the function then serves the device, or refuses the path as one of no kind.
func idWithSlash(ctx context.Context, a *account) (string, error) {
	status, body, err := a.signed(ctx, http.MethodPost, "/v1/readings", a.reading("live/slash", 60))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("send a reading: status %d, want 200: %.300s", status, body)
	}
	if err != nil {
		return "", err
	}
	const path = "/v1/devices/live%2Fslash"
	status, body, err = a.signed(ctx, http.MethodGet, path+"/readings/latest", "")
	if err == nil && (status != http.StatusOK || !strings.Contains(string(body), `"value":1`)) {
		err = fmt.Errorf("its latest reading: status %d, want 200 with its value: %.300s", status, body)
	}
	if err != nil {
		return "", err
	}
	status, body, err = a.signed(ctx, http.MethodGet, path, "")
	if err != nil {
		return "", err
	}
	var problem struct{ Type, Detail string } // the gateway's own responses have neither
	if json.Unmarshal(body, &problem) != nil || status != http.StatusNotFound ||
		!strings.HasPrefix(problem.Type, "/problems/") {
		return "", fmt.Errorf("its profile: status %d, want 404 with the reason: %.300s", status, body)
	}
	return "its readings are read; its profile: " + problem.Detail, nil
}
