package tidemarkcdk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"

	"github.com/tidemark-db/tidemark/infra/internal/access"
	"github.com/tidemark-db/tidemark/infra/internal/template"
)

// given is a stage with receivers, page views and a budget, of which the app gives the key, the API, the
// inbox and the topic.
const given = `
stages:
  prod:
    alarmMail: team@example.com
    ceiling: {budget: 100}
    sources: {kinesis: true}
`

// withGiven synthesizes the stage with what give returns, and returns the template and the warnings.
func withGiven(t *testing.T, give func(stack awscdk.Stack) Props) (of template.Template, warnings []string) {
	t.Helper()
	settings := filepath.Join(t.TempDir(), "tidemark.yaml")
	if err := os.WriteFile(settings, []byte(given), 0o644); err != nil {
		t.Fatal(err)
	}
	of = inOneStack(t, func(stack awscdk.Stack, code string) {
		props := give(stack)
		props.Code, props.Config = code, settings
		series, err := NewTidemark(stack, "Orders", props)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range *series.Node().Metadata() {
			if text, ok := m.Data.(string); ok && strings.HasPrefix(*m.Type, "aws:cdk:warning") {
				warnings = append(warnings, text)
			}
		}
	})
	return of, warnings
}

// ofType returns the ids of the resources of a type.
func ofType(t *testing.T, of template.Template, kind string) (ids []string) {
	t.Helper()
	all, err := of.Resources()
	if err != nil {
		t.Fatal(err)
	}
	for id, r := range all {
		if r.Type == kind {
			ids = append(ids, id)
		}
	}
	return ids
}

// The resources of the app take the place of the construct's own, and their policies allow what is sent to
// them.
func TestGiven_ResourcesOfTheAppAreUsedAndAllowed(t *testing.T) {
	own, _ := withGiven(t, func(awscdk.Stack) Props { return Props{} })
	shared, warnings := withGiven(t, func(stack awscdk.Stack) Props {
		key := awskms.NewKey(stack, new("TeamKey"), nil)
		return Props{
			Key: key,
			API: awsapigatewayv2.NewHttpApi(stack, new("TeamApi"), nil),
			Inbox: awssqs.NewQueue(stack, new("TeamInbox"),
				&awssqs.QueueProps{Encryption: awssqs.QueueEncryption_KMS, EncryptionMasterKey: key}),
			AlarmTopic: awssns.NewTopic(stack, new("TeamTopic"), &awssns.TopicProps{MasterKey: key}),
		}
	})
	all, err := shared.Resources()
	if err != nil {
		t.Fatal(err)
	}
	edges := access.Edges(all)
	for _, e := range access.Denied(edges, access.Statements(all)) {
		t.Errorf("no policy allows %s of %s: %s on %s", e.Principal, e.From, e.Action, e.To)
	}
	for _, kind := range []string{"AWS::KMS::Key", "AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Stage"} {
		if ids := ofType(t, shared, kind); len(ids) != 1 || !strings.HasPrefix(ids[0], "Team") {
			t.Errorf("%s: %q, want the one of the app", kind, ids)
		}
	}
	keys, apis := ofType(t, own, "AWS::KMS::Key"), ofType(t, own, "AWS::ApiGatewayV2::Api")
	if len(keys) != 0 || len(apis) != 1 || strings.HasPrefix(apis[0], "Team") {
		t.Errorf("without the app's: keys %q, APIs %q", keys, apis)
	}
	text := string(shared)
	for _, want := range []string{
		`"ApiId":{"Ref":"TeamApi`, `"EventSourceArn":{"Fn::GetAtt":["TeamInbox`, `{"Ref":"TeamTopic`,
		`"KmsMasterKeyId":{"Fn::GetAtt":["TeamKey`, `"Service":"budgets.amazonaws.com"`,
	} {
		if !strings.Contains(compact(text), want) {
			t.Errorf("the template has no %s", want)
		}
	}
	if strings.Contains(compact(string(own)), `"EventSourceArn":{"Fn::GetAtt":["TeamInbox`) {
		t.Error("a stage without the queue reads it")
	}
	if len(warnings) != 2 || !strings.Contains(strings.Join(warnings, " "), "POST /v1/collect/{siteKey}") ||
		!strings.Contains(strings.Join(warnings, " "), "CORS with the origins *") {
		t.Errorf("warnings %q, want one of public routes and one of origins", warnings)
	}
}

// compact removes the white space of a template.
func compact(text string) string { return strings.Join(strings.Fields(text), "") }

// The policy of what an app refers to by its ARN cannot be changed: the warning has the statement.
func TestGiven_APolicyOfAnotherOwnerIsNamed(t *testing.T) {
	_, warnings := withGiven(t, func(stack awscdk.Stack) Props {
		return Props{
			Key: awskms.Key_FromKeyArn(stack, new("TeamKey"),
				new("arn:aws:kms:eu-central-1:123456789012:key/0f8b1d1e-0000-4000-8000-000000000000")),
			AlarmTopic: awssns.Topic_FromTopicArn(stack, new("TeamTopic"),
				new("arn:aws:sns:eu-central-1:123456789012:on-call")),
		}
	})
	text := strings.Join(warnings, "\n")
	for _, want := range []string{
		"the policy of the key", "the policy of the topic of alarms", "logs.", "cloudwatch.amazonaws.com",
		"events.amazonaws.com", "budgets.amazonaws.com", "sns:Publish", "kms:GenerateDataKey",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no warning has %q:\n%s", want, text)
		}
	}
}

// Each error of a stage says what to remove, and the same stage with the other resources is none.
func TestGiven_AStageThatDoesNotFitIsRefused(t *testing.T) {
	api := func(stack awscdk.Stack) Props {
		return Props{API: awsapigatewayv2.NewHttpApi(stack, new("TeamApi"), nil)}
	}
	topic := func(stack awscdk.Stack) Props {
		return Props{AlarmTopic: awssns.NewTopic(stack, new("TeamTopic"), nil)}
	}
	none := func(awscdk.Stack) Props { return Props{} }
	inFIFO := func(stack awscdk.Stack) Props {
		return Props{Inbox: awssqs.NewQueue(stack, new("TeamInbox"), &awssqs.QueueProps{Fifo: new(true)})}
	}
	standard := func(stack awscdk.Stack) Props {
		return Props{Inbox: awssqs.NewQueue(stack, new("StandardInbox"), nil)}
	}
	for _, c := range []struct {
		stage       string
		wrong, fits func(awscdk.Stack) Props
		says        string
	}{
		{stage: "domain: {name: data.example.com, " +
			"certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/a'}",
			wrong: api, fits: none, says: "remove domain"},
		{stage: "ceiling: {budget: 50}", wrong: none, fits: topic, says: "give Props.AlarmTopic"},
		{stage: "tracing: true", wrong: inFIFO, fits: standard, says: "a standard queue"},
	} {
		settings := filepath.Join(t.TempDir(), "tidemark.yaml")
		if err := os.WriteFile(settings, []byte("stages: {prod: {"+c.stage+"}}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		inOneStack(t, func(stack awscdk.Stack, code string) {
			wrong, fits := c.wrong(stack), c.fits(stack)
			wrong.Code, wrong.Config = code, settings
			fits.Code, fits.Config = code, settings
			if _, err := NewTidemark(stack, "Wrong", wrong); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: got %v, want an error that says %q", c.stage, err, c.says)
			}
			if _, err := NewTidemark(stack, "Fits", fits); err != nil {
				t.Errorf("%s: %v", c.stage, err)
			}
		})
	}
}
