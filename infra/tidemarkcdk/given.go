package tidemarkcdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// The app may give the construct resources of its own, see Props. The policy of a resource that the app only
// refers to, by an ARN, cannot be changed: synthesis then warns, with the statement that its owner has to
// add.

// check returns an error for what the construct cannot do for a stage with these resources, or without them.
func (p Props) check(stage config.Stage) error {
	if p.API != nil && stage.Domain.Name != "" {
		return fmt.Errorf("the configuration gives the API the domain %s, and Props.API has its own: "+
			"remove domain from the stage, and map the name to the API where it is created", stage.Domain.Name)
	}
	if p.Inbox != nil && p.Inbox.Fifo() != nil && *p.Inbox.Fifo() {
		return fmt.Errorf("Props.Inbox is a FIFO queue, of which Lambda reads at most 10 messages at once, "+
			"and ingest reads %d: give a standard queue, since the order of observations does not matter",
			sourceBatch)
	}
	if stage.Ceiling.Budget > 0 && !p.notifies(stage) {
		return errors.New("ceiling.budget of the stage has no receiver to notify: " +
			"add alarmMail or alarmTopic to the stage, give Props.AlarmTopic, or remove the budget")
	}
	return nil
}

// notifies reports whether anyone receives the alarms of a stage.
func (p Props) notifies(stage config.Stage) bool { return stage.HasReceiver() || p.AlarmTopic != nil }

// allow adds a statement to the policy of a resource, which add changes if it can.
func (s *Tidemark) allow(what string, statement awsiam.PolicyStatement,
	add func(awsiam.PolicyStatement) *awsiam.AddToResourcePolicyResult) {
	if *add(statement).StatementAdded {
		return
	}
	text, err := json.Marshal(s.stack.Resolve(statement.ToStatementJson()))
	if err != nil {
		panic(err) // a statement is JSON
	}
	s.warn(fmt.Sprintf("the policy of %s cannot be changed from here: its owner must add the statement %s",
		what, text))
}

// warn prints a warning at synthesis; each text once.
func (s *Tidemark) warn(text string) {
	s.warnings++
	awscdk.Annotations_Of(s.Construct).AddWarningV2(new(fmt.Sprintf("tidemark:given%d", s.warnings)), &text)
}

// allowTopic adds a statement to a topic's policy, which may be the configuration's.
func (s *Tidemark) allowTopic(r receiver, statement awsiam.PolicyStatement) {
	if r.configured {
		return // its owner reads in docs/run/ALARMS.md what to allow
	}
	s.allow("the topic of alarms", statement, r.topic.AddToResourcePolicy)
}

// useAPI adds the routes to the given API.
func (s *Tidemark) useAPI() {
	s.API = s.given.API
	if c := s.cors(); c != nil {
		join := func(all *[]*string) string {
			return strings.Join(lists.Map(*all, func(text *string) string { return *text }), ", ")
		}
		s.warn(fmt.Sprintf("browsers send requests from other sites: the given API needs CORS with the origins "+
			"%s, the methods %s and the headers %s, and to expose the headers %s",
			join(c.AllowOrigins), join(c.AllowMethods), join(c.AllowHeaders), join(c.ExposeHeaders)))
	}
}

// warnOfPublicRoutes names the routes for which the stage of a given API needs a throttle.
func (s *Tidemark) warnOfPublicRoutes() {
	if len(s.public) == 0 {
		return
	}
	keys := lists.Map(s.public, func(r awsapigatewayv2.CfnRoute) string { return *r.RouteKey() })
	slices.Sort(keys)
	limit := s.stage.PublicThrottle
	s.warn(fmt.Sprintf("anyone may request the routes %s of the given API: let its stage limit each to a rate "+
		"of %d and a burst of %d", strings.Join(keys, ", "), limit.Rate, limit.Burst))
}

// inboxKey are the rights on the key of a given queue.
func (s *Tidemark) inboxKey() []privilege {
	if s.given.Inbox == nil || s.given.Inbox.EncryptionMasterKey() == nil {
		return nil
	}
	key := s.given.Inbox.EncryptionMasterKey()
	return []privilege{
		{sid: "InboxKey", actions: []string{"kms:Decrypt"}, resources: []string{*key.KeyArn()}},
	}
}

// receiver is a topic that alarms and critical alerts are published to.
type receiver struct {
	target     string // the id of its target in rules
	topic      awssns.ITopic
	configured bool // by its ARN, in the configuration
}

// configuredTopic is the ARN of the configuration's topic of alarms; "" without one, or if the app gives it.
func (s *Tidemark) configuredTopic() string {
	if s.given.AlarmTopic != nil && *s.given.AlarmTopic.TopicArn() == s.stage.AlarmTopic {
		return ""
	}
	return s.stage.AlarmTopic
}

// budgetStatement allows AWS Budgets to publish to a topic.
func (s *Tidemark) budgetStatement(topic *string) awsiam.PolicyStatement {
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(new("budgets.amazonaws.com"), nil)},
		Actions:    jsii.Strings("sns:Publish"),
		Resources:  jsii.Strings(*topic),
		Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.stack.Account()}},
	})
}
