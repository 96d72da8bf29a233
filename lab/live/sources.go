package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

// sourceProbes are about what sends observations to the stack.
var sourceProbes = []probe{
	{
		name: "filter-prefix", assumes: "a mapping's filter on the prefix of the sort key drops other items",
		page: "inside/FAULTS.md",
		how:  "20 items that are no events; the mapping counts them as filtered out", suites: onResponses,
		run: filterPrefix,
	},
	{
		name: "iot-rule", assumes: "an IoT rule adds the third level of the topic to a message",
		page: "run/SECURITY.md", how: "a reading without a device, to the topic of one", suites: onResponses,
		run: iotRule,
	},
	{
		name: "forged-mark", page: "run/SECURITY.md", suites: onResponses, run: forgedMark,
		assumes: "a rule's fields replace a message's own of the same names, so no device forges the mark",
		how:     "2 readings with another device's mark and deviceId: both in quarantine, none stored",
	},
	{
		name: "iot-array", assumes: "SELECT * with fields of a rule delivers no array",
		page:   "use/SENDERS.md",
		how:    "an array of 2 readings to the topic of single readings, then a single one",
		suites: onResponses, run: iotArray,
	},
	{name: "iot-batch", assumes: "a rule of the topic of batches delivers an array", page: "use/SENDERS.md",
		how: "an array of 3 readings", suites: onResponses, run: iotBatch},
	{
		name:    "basic-ingest",
		assumes: "with Basic Ingest, topic(3) is a level of the topic after the rule's name",
		page:    "decisions/0009-infra.md", how: "a reading to $aws/rules/RULE/TOPIC", suites: onResponses,
		run: basicIngest,
	},
	{name: "authorizer-context", assumes: "API Gateway passes the context of the authorizer on to ingest",
		page: "decisions/0029-senders.md",
		how:  "a point of line protocol with a write key", suites: onStack, run: authorizerContext},
	{
		name:    "authorizer-refuses",
		assumes: "API Gateway refuses a request that the authorizer does not allow", page: "run/SECURITY.md",
		how: "the same point with a wrong key", suites: onStack, run: authorizerRefuses,
	},
	{
		name: "id-with-slash", page: "decisions/0009-infra.md", suites: onStack, run: idWithSlash,
		assumes: "a path with an encoded slash reaches the function, " +
			"whether it is matched before or after decoding",
		how: "a reading of live/slash is read at live%2Fslash; then its profile, which it does not have",
	},
}

func filterPrefix(ctx context.Context, a *account) (string, error) {
	const items = 20
	began := a.now()
	var puts []any
	for i := range items {
		item := map[string]any{"pk": map[string]string{"S": "LIVE#" + a.stage},
			"sk": map[string]string{"S": fmt.Sprintf("PROBE#%d#%d", began.UnixNano(), i)}}
		puts = append(puts, map[string]any{"PutRequest": map[string]any{"Item": item}})
	}
	body, err := json.Marshal(map[string]any{a.outputs["TableName"]: puts})
	if err != nil {
		return "", err
	}
	if _, err := a.aws(ctx, "dynamodb", "batch-write-item", "--request-items", string(body)); err != nil {
		return "", err
	}
	dropped := 0.0
	err = a.until(ctx, 6*time.Minute, func() (_ bool, err error) {
		dropped, err = a.sum(ctx, "AWS/Lambda", "FilteredOutEventCount", began.Add(-time.Minute),
			"Name=EventSourceMappingUUID,Value="+a.outputs["MappingId"])
		return dropped >= items, err
	})
	return fmt.Sprintf("%.0f records filtered out", dropped), err
}

// topic returns the topic of a device's readings.
func (a *account) topic(device string) string {
	return a.outputs["Topic"] + "/devices/" + device + "/readings"
}

func iotRule(ctx context.Context, a *account) (string, error) {
	if err := a.publish(ctx, a.topic("live-rule"), a.reading("", 60)); err != nil {
		return "", err
	}
	return "stored as the device of the topic", a.awaitEvents(ctx, "live-rule", 1)
}

func iotArray(ctx context.Context, a *account) (string, error) {
	array := "[" + a.reading("", 60) + "," + a.reading("", 50) + "]"
	for _, payload := range []string{array, a.reading("", 40)} {
		if err := a.publish(ctx, a.topic("live-array"), payload); err != nil {
			return "", err
		}
	}
	return "only the single reading is stored", a.awaitEvents(ctx, "live-array", 1)
}

func iotBatch(ctx context.Context, a *account) (string, error) {
	array := "[" + a.reading("", 60) + "," + a.reading("", 50) + "," + a.reading("", 40) + "]"
	if err := a.publish(ctx, a.topic("live-batch")+"/batch", array); err != nil {
		return "", err
	}
	return "3 events of one message", a.awaitEvents(ctx, "live-batch", 3)
}

// rule returns the name of the IoT rule of readings.
func (a *account) rule() string { return strings.ReplaceAll(a.stack, "-", "_") + "_READING" }

func basicIngest(ctx context.Context, a *account) (string, error) {
	if err := a.publish(ctx, "$aws/rules/"+a.rule()+"/"+a.topic("live-basic"), a.reading("", 60)); err != nil {
		return "", err
	}
	return "stored as the device of the topic", a.awaitEvents(ctx, "live-basic", 1)
}

func forgedMark(ctx context.Context, a *account) (string, error) {
	const forger, victim = "live-forger", "live-victim"
	// Ingest rejects a message of one device that names another. What has no mark is rejected by its source.
	inQuarantine := func() (sum int, err error) {
		for _, sender := range []string{"DEVICE#" + forger, "iot"} {
			n, err := a.count(ctx, "pk = :p", fmt.Sprintf(`{":p":{"S":"QUARANTINE#%s"}}`, sender))
			if err != nil {
				return 0, err
			}
			sum += n
		}
		return sum, nil
	}
	before, err := inQuarantine()
	if err != nil {
		return "", err
	}
	forged := fmt.Sprintf(`{"%s":%q,"%s":"READING",`, envelope.RuleSubject, victim, envelope.RuleKind) +
		strings.TrimPrefix(a.reading(victim, 60), "{")
	if err := a.publish(ctx, a.topic(forger), forged); err != nil {
		return "", err
	}
	if err := a.publish(ctx, a.topic(forger)+"/batch", "["+forged+"]"); err != nil {
		return "", err
	}
	const want = 2
	refused, stored := 0, 0
	err = a.until(ctx, 2*time.Minute, func() (bool, error) {
		stored = 0
		for _, device := range []string{forger, victim} {
			n, err := a.events(ctx, device)
			if err != nil {
				return false, err
			}
			stored += n
		}
		now, err := inQuarantine()
		refused = now - before
		return stored > 0 || refused >= want, err
	})
	if err == nil && stored > 0 || errors.Is(err, errNotSeen) {
		err = fmt.Errorf("%d events are stored and %d messages in quarantine, want 0 and %d", stored, refused,
			want)
	}
	return fmt.Sprintf("%d messages in quarantine, nothing stored", refused), err
}

// send posts a body, with a token or "", and returns the status and the beginning of the response.
func (a *account) send(ctx context.Context, path, content, token string) (status int, body string,
	err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.outputs["ApiUrl"]+path,
		strings.NewReader(content))
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		r.Header.Set("Authorization", "Token "+token)
	}
	resp, err := a.http.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 300))
	return resp.StatusCode, string(text), err
}

// post sends a point with a token.
func (a *account) post(ctx context.Context, token string) (status int, body string, err error) {
	point := fmt.Sprintf("live,host=live-sender value=1 %d", a.now().Unix())
	return a.send(ctx, "/api/v2/write?bucket=live&precision=s", point, token)
}

// token creates a write key, and returns its token.
func (a *account) token(ctx context.Context) (string, error) {
	text, err := a.tidemark(ctx, "access", "key", "create", fmt.Sprint("live", a.now().Unix()))
	if err != nil {
		return "", err
	}
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "tm_") {
			return word, nil
		}
	}
	return "", errors.New("tidemark access key create printed no token")
}

func authorizerContext(ctx context.Context, a *account) (string, error) {
	token, err := a.token(ctx)
	if err != nil {
		return "", err
	}
	status, body, err := a.post(ctx, token)
	if err == nil && status != http.StatusNoContent {
		err = fmt.Errorf("status %d, want 204: %s", status, body)
	}
	return "204", err
}

func authorizerRefuses(ctx context.Context, a *account) (string, error) {
	status, body, err := a.post(ctx, "tm_NOKEY_OFTHISTABLE")
	if err == nil && status != http.StatusUnauthorized && status != http.StatusForbidden {
		err = fmt.Errorf("status %d, want 401 or 403: %s", status, body)
	}
	return fmt.Sprint(status), err
}
