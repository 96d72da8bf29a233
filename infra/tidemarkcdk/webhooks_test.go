package tidemarkcdk

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// changed returns the detail of a change of an alert, as aggregate puts it on the bus.
func changed(t *testing.T, change storage.AlertChange) map[string]any {
	t.Helper()
	text, err := json.Marshal(
		alert.NewNotificationView(&storage.Notification{Change: change, Alert: storage.Alert{
			ID: "01KDWCN5TV8QD99ME6KB1AXNAW", Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: `<!channel> "a"`}, Kind: "READING"},
			Rule: "too-hot.1", Severity: storage.Warning, Measure: "temperature", Limit: "above 30",
			Violation: storage.Violation{Value: model.MustDecimal("31.5"), Raised: model.Order{At: 1_776_695_400_000}},
		}}))
	if err != nil {
		t.Fatal(err)
	}
	var detail map[string]any
	if err := json.Unmarshal(text, &detail); err != nil {
		t.Fatal(err)
	}
	return detail
}

// sent returns the body that a rule sends for a detail: EventBridge puts the JSON of each field in place of
// its name.
func sent(t *testing.T, rule map[string]any, detail map[string]any) (body map[string]any) {
	t.Helper()
	target := rule["Targets"].([]any)[0].(map[string]any)
	text := at(target, "InputTransformer", "InputTemplate").(string)
	for name, path := range at(target, "InputTransformer", "InputPathsMap").(map[string]any) {
		steps := strings.Split(strings.TrimPrefix(path.(string), "$.detail."), ".")
		value, err := json.Marshal(at(detail, steps...))
		if err != nil || string(value) == "null" {
			t.Fatalf("%s: %s, %v", path, value, err)
		}
		text = strings.ReplaceAll(text, "<"+name+">", string(value))
	}
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return body
}

func TestWebhooks_SendWhatTheServicesTake(t *testing.T) {
	const (
		id   = "01KDWCN5TV8QD99ME6KB1AXNAW"
		at   = "2026-04-20T14:30:00.000Z"
		line = `: temperature 31.5 above 30, at 2026-04-20T14:30:00.000Z (alert 01KDWCN5TV8QD99ME6KB1AXNAW)`
	)
	rules := resourcesOfType(t, "hooked", "AWS::Events::Rule")
	chat := func(change string) map[string]any {
		return map[string]any{"text": "Alert " + change + `, warning: &lt;!channel&gt; "a"` + line}
	}
	incident := func(action string) map[string]any {
		return map[string]any{"event_action": action, "dedup_key": id}
	}
	trigger := func(change string) map[string]any {
		body := incident("trigger")
		body["payload"] = map[string]any{
			"summary": "Alert " + change + `, warning: <!channel> "a"` + line, "source": `<!channel> "a"`,
			"severity": "warning", "timestamp": at, "class": "too-hot.1",
		}
		return body
	}
	want := map[storage.AlertChange][]map[string]any{
		storage.AlertChangeRaised:       {trigger("raised"), chat("raised")},
		storage.AlertChangePassed:       {chat("raised and recovered")},
		storage.AlertChangeReopened:     {trigger("reopened"), chat("reopened")},
		storage.AlertChangeReinstated:   {trigger("reinstated"), chat("reinstated")},
		storage.AlertChangeRecovered:    {incident("resolve"), chat("recovered")},
		storage.AlertChangeWithdrawn:    {incident("resolve"), chat("withdrawn")},
		storage.AlertChangeResolved:     {incident("resolve"), chat("resolved")},
		storage.AlertChangeEnded:        {incident("resolve"), chat("ended")},
		storage.AlertChangeAcknowledged: {incident("acknowledge")},
		storage.AlertChangeCorrected:    nil,
	}
	for change, bodies := range want {
		var got []map[string]any
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			pattern, isAlert := rules[name].Properties["EventPattern"].(map[string]any)
			if isAlert && slices.Contains(pattern["detail-type"].([]any), any(change.DetailType())) {
				got = append(got, sent(t, rules[name].Properties, changed(t, change)))
			}
		}
		if diff := cmp.Diff(bodies, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", change, diff)
		}
	}
}

// What no service takes within an hour is kept, and an alarm tells of it.
func TestWebhooks_KeepWhatIsNotTaken(t *testing.T) {
	found := 0
	for id, rule := range resourcesOfType(t, "hooked", "AWS::Events::Rule") {
		pattern, isAlert := rule.Properties["EventPattern"].(map[string]any)
		if !isAlert {
			continue
		}
		found++
		if got := render(at(pattern, "detail", "alert", "severity")); got != "critical warning" {
			t.Errorf("%s sends alerts of severity %s", id, got)
		}
		target := rule.Properties["Targets"].([]any)[0].(map[string]any)
		if render(at(target, "DeadLetterConfig", "Arn")) != "DeadAlertsQueue.Arn" ||
			at(target, "RetryPolicy", "MaximumEventAgeInSeconds") != 3600.0 {
			t.Errorf("%s: %v", id, target)
		}
		allowed := slices.ContainsFunc(statementsIn(resources(t, "hooked")["DeadAlertsQueuePolicy"].Properties),
			func(s map[string]any) bool {
				return render(s["Action"]) == "sqs:SendMessage" &&
					render(at(s, "Condition", "ArnEquals", "aws:SourceArn")) == id+".Arn"
			})
		if !allowed {
			t.Errorf("the queue of alerts that were not taken does not accept what %s sends", id)
		}
	}
	if found != len(slackWebhooks)+len(pagerDutyWebhooks) {
		t.Errorf("%d rules of alerts, want one for each webhook", found)
	}
}

// The address of Slack's webhook and PagerDuty's key are secrets: the template names them only.
func TestWebhooks_SecretsAreNotInTheTemplate(t *testing.T) {
	text := string(stage(t, "hooked"))
	for _, secret := range []string{"slack", "pagerduty"} {
		if want := "{{resolve:secretsmanager:arn:aws:secretsmanager:eu-central-1:123456789012:secret:" +
			secret; !strings.Contains(text, want) {
			t.Errorf("the template does not contain %s", want)
		}
	}
	for id, d := range resourcesOfType(t, "hooked", "AWS::Events::ApiDestination") {
		role := resources(t, "hooked")[strings.TrimSuffix(id, "Destination")+"Role"]
		var allowed []string
		for _, policy := range role.Properties["Policies"].([]any) {
			for _, s := range at(policy.(map[string]any), "PolicyDocument", "Statement").([]any) {
				allowed = append(allowed, render(s.(map[string]any)["Action"])+" "+render(s.(map[string]any)["Resource"]))
			}
		}
		if want := []string{"events:InvokeApiDestination " + id + ".Arn"}; !slices.Equal(allowed, want) ||
			d.Properties["HttpMethod"] != "POST" {
			t.Errorf("%s: %v, and its role allows %v", id, d.Properties, allowed)
		}
	}
}
