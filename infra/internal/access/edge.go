// Package access computes from a synthesized template which part of a stack sends requests to which other
// one, and whether the policies of the stack allow them.
//
// A policy of a topic, queue or key that lacks its sender fails at the first request, months after the
// deployment, and an alarm that may not publish fails in silence. The edges are derived from the resources
// themselves: an alarm names its topic, a rule its targets, a mapping its stream.
package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// Edge is a request that a part of a stack sends.
type Edge struct {
	From      string // logical id of the sender
	Principal string // logical id of the sender's role, or the name of an AWS service
	Action    string // as IAM names it
	To        string // ARN, in the form of text
	Source    string // ARN of the sender that a condition may name
}

// byRole reports whether a role sends the request, whose own policy allows it.
func (e Edge) byRole() bool { return !strings.HasSuffix(e.Principal, ".amazonaws.com") }

// stack is a template that is read for its edges.
type stack map[string]template.Resource

// senders have the requests of each type of resource.
var senders = map[string]func(stack, string, template.Resource) []Edge{
	"AWS::CloudWatch::Alarm":          stack.alarm,
	"AWS::CloudWatch::CompositeAlarm": stack.alarm,
	"AWS::Events::Rule":               stack.rule,
	"AWS::Lambda::EventSourceMapping": stack.mapping,
	"AWS::Lambda::EventInvokeConfig":  stack.invokeConfig,
	"AWS::Lambda::Function":           stack.function,
	"AWS::ApiGatewayV2::Route":        stack.route,
	"AWS::ApiGatewayV2::Authorizer":   stack.authorizer,
	"AWS::IoT::TopicRule":             stack.topicRule,
	"AWS::Logs::LogGroup":             stack.logGroup,
}

// Edges returns the requests that the resources of a template send, to resources of the template and with its
// keys.
func Edges(resources map[string]template.Resource) (all []Edge) {
	s := stack(resources)
	for id, r := range resources {
		if edges := senders[r.Type]; edges != nil {
			all = append(all, edges(s, id, r)...)
		}
	}
	for _, e := range slices.Clone(all) {
		all = append(all, s.keyEdges(e)...)
	}
	slices.SortFunc(all, compare)
	return slices.Compact(all)
}

func compare(a, b Edge) int {
	of := func(e Edge) string { return strings.Join([]string{e.From, e.Principal, e.Action, e.To}, " ") }
	return strings.Compare(of(a), of(b))
}

func (s stack) alarm(id string, r template.Resource) (all []Edge) {
	for _, property := range []string{"AlarmActions", "OKActions", "InsufficientDataActions"} {
		for _, topic := range list(r.Properties[property]) {
			all = append(all, Edge{
				From: id, Principal: "cloudwatch.amazonaws.com", Action: "sns:Publish",
				To: text(topic), Source: id + ".Arn",
			})
		}
	}
	return s.within(all)
}

// within keeps the requests to resources of the template: the policies of others are not in it.
func (s stack) within(all []Edge) []Edge {
	return slices.DeleteFunc(all, func(e Edge) bool { return s[owner(e.To)].Type == "" })
}

// targetActions are the actions of EventBridge on its targets, by their type.
var targetActions = map[string]string{
	"AWS::Lambda::Function": "lambda:InvokeFunction", "AWS::Lambda::Alias": "lambda:InvokeFunction",
	"AWS::SNS::Topic": "sns:Publish", "AWS::SQS::Queue": "sqs:SendMessage",
}

func (s stack) rule(id string, r template.Resource) (all []Edge) {
	send := func(to any) {
		action := targetActions[s[owner(text(to))].Type]
		all = append(all, Edge{
			From: id, Principal: "events.amazonaws.com", Action: action, To: text(to), Source: id + ".Arn",
		})
	}
	for _, target := range list(r.Properties["Targets"]) {
		send(at(target, "Arn"))
		if dead := at(target, "DeadLetterConfig", "Arn"); dead != nil {
			send(dead)
		}
	}
	return s.within(all)
}

// readActions are what the role of a function needs so that Lambda can read a source for it.
var readActions = map[string][]string{
	"dynamodb": {
		"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams",
	},
	"kinesis": {
		"kinesis:DescribeStream", "kinesis:DescribeStreamSummary", "kinesis:GetRecords", "kinesis:GetShardIterator",
		"kinesis:ListShards",
	},
	"sqs": {"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"},
}

func (s stack) mapping(id string, r template.Resource) (all []Edge) {
	role, source := s.role(r.Properties["FunctionName"]), text(r.Properties["EventSourceArn"])
	service := "dynamodb"
	switch s[owner(source)].Type {
	case "AWS::Kinesis::Stream":
		service = "kinesis"
	case "AWS::SQS::Queue":
		service = "sqs"
	}
	for _, action := range readActions[service] {
		all = append(all, Edge{From: id, Principal: role, Action: action, To: source})
	}
	if failures := at(r.Properties, "DestinationConfig", "OnFailure", "Destination"); failures != nil {
		all = append(all, Edge{From: id, Principal: role, Action: "sqs:SendMessage", To: text(failures)})
	}
	return all
}

func (s stack) invokeConfig(id string, r template.Resource) []Edge {
	role := s.role(r.Properties["FunctionName"])
	failures := text(at(r.Properties, "DestinationConfig", "OnFailure", "Destination"))
	return []Edge{{From: id, Principal: role, Action: "sqs:SendMessage", To: failures}}
}

// variables are the environment variables of functions that name a resource, with an action that every
// function with the variable sends.
var variables = map[string]string{
	config.EnvTable:        "dynamodb:GetItem",
	config.EnvAlertBus:     "events:PutEvents",
	config.EnvSelf:         "lambda:InvokeFunction",
	config.EnvCursorSecret: "secretsmanager:GetSecretValue",
	config.EnvSiteSecret:   "secretsmanager:GetSecretValue",
	config.EnvOriginSecret: "secretsmanager:GetSecretValue",
}

func (s stack) function(id string, r template.Resource) (all []Edge) {
	role := owner(text(r.Properties["Role"]))
	send := func(action, to string) {
		all = append(all, Edge{From: id, Principal: role, Action: action, To: to})
	}
	for name, action := range variables {
		if value := at(r.Properties, "Environment", "Variables", name); value != nil {
			send(action, cmp.Or(s.arn(owner(text(value))), unowned(name, text(value))))
		}
	}
	group := s.arn(owner(text(at(r.Properties, "LoggingConfig", "LogGroup"))))
	send("logs:CreateLogStream", group)
	send("logs:PutLogEvents", group)
	if key := r.Properties["KmsKeyArn"]; key != nil {
		send("kms:Decrypt", text(key))
	}
	if at(r.Properties, "TracingConfig", "Mode") == "Active" {
		send("xray:PutTraceSegments", "*")
		send("xray:PutTelemetryRecords", "*")
	}
	return slices.DeleteFunc(all, func(e Edge) bool { return e.To == "" })
}

// unowned is the ARN in a variable that refers to no resource: of a table that exists, or of the function
// itself; "" for another variable.
func unowned(variable, value string) string {
	switch variable {
	case config.EnvTable:
		return "arn:Partition:dynamodb:Region:AccountId:table/" + value
	case config.EnvSelf:
		return value
	}
	return ""
}

// path is the ARN of a part of an API, by which API Gateway invokes functions.
func path(api any, part string) string {
	return "arn:Partition:execute-api:Region:AccountId:" + text(api) + "/" + part
}

func (s stack) route(id string, r template.Resource) []Edge {
	integration := s[owner(strings.TrimPrefix(text(r.Properties["Target"]), "integrations/"))]
	method, rest, _ := strings.Cut(text(r.Properties["RouteKey"]), " ")
	return []Edge{{
		From: id, Principal: "apigateway.amazonaws.com", Action: "lambda:InvokeFunction",
		To:     text(integration.Properties["IntegrationUri"]),
		Source: path(r.Properties["ApiId"], "$default/"+method+rest),
	}}
}

func (s stack) authorizer(id string, r template.Resource) []Edge {
	uri := text(r.Properties["AuthorizerUri"])
	_, invoked, ok := strings.Cut(uri, "/functions/")
	if !ok {
		return nil
	}
	return []Edge{{
		From: id, Principal: "apigateway.amazonaws.com", Action: "lambda:InvokeFunction",
		To:     strings.TrimSuffix(invoked, "/invocations"),
		Source: path(r.Properties["ApiId"], "authorizers/"+id),
	}}
}

func (s stack) topicRule(id string, r template.Resource) (all []Edge) {
	source := "arn:Partition:iot:Region:AccountId:rule/" + text(r.Properties["RuleName"])
	payload := r.Properties["TopicRulePayload"]
	for _, action := range append(list(at(payload, "Actions")), at(payload, "ErrorAction")) {
		e := Edge{From: id}
		if function := at(action, "Lambda", "FunctionArn"); function != nil {
			e.Principal, e.Action = "iot.amazonaws.com", "lambda:InvokeFunction"
			e.To, e.Source = text(function), source
		}
		if queue := at(action, "Sqs", "QueueUrl"); queue != nil {
			e.Principal, e.Action = owner(text(at(action, "Sqs", "RoleArn"))), "sqs:SendMessage"
			e.To = s.arn(owner(text(queue)))
		}
		if url := at(action, "Http", "Url"); url != nil {
			api, rest, _ := strings.Cut(text(url), ".ApiEndpoint")
			e.Principal = owner(text(at(action, "Http", "Auth", "Sigv4", "RoleArn")))
			e.Action, e.To = "execute-api:Invoke", path(api, "$default/POST"+rest)
		}
		all = append(all, e)
	}
	return all
}

// logGroup writes with its key.
func (s stack) logGroup(id string, r template.Resource) []Edge {
	if r.Properties["KmsKeyId"] == nil {
		return nil
	}
	key := text(r.Properties["KmsKeyId"])
	return []Edge{{From: id, Principal: "logs.Region.amazonaws.com", Action: "kms:GenerateDataKey", To: key}}
}

// keyProperties are where resources name their keys.
var keyProperties = map[string][]string{
	"AWS::DynamoDB::Table":        {"SSESpecification", "KMSMasterKeyId"},
	"AWS::SQS::Queue":             {"KmsMasterKeyId"},
	"AWS::SNS::Topic":             {"KmsMasterKeyId"},
	"AWS::SecretsManager::Secret": {"KmsKeyId"},
	"AWS::Kinesis::Stream":        {"StreamEncryption", "KeyId"},
}

// keyEdges returns the requests to the key that a request to an encrypted resource needs.
func (s stack) keyEdges(e Edge) (all []Edge) {
	r := s[owner(e.To)]
	where := keyProperties[r.Type]
	if where == nil {
		return nil
	}
	key := at(r.Properties, where...)
	if key == nil {
		return nil
	}
	actions := []string{"kms:Decrypt"}
	if e.Action == "sqs:SendMessage" || e.Action == "sns:Publish" {
		actions = append(actions, "kms:GenerateDataKey")
	}
	for _, action := range actions {
		e.Action, e.To = action, text(key)
		all = append(all, e)
	}
	return all
}

// role returns the role of a function, which is named by itself or by its alias.
func (s stack) role(function any) string {
	id := owner(text(function))
	if r := s[id]; r.Type == "AWS::Lambda::Alias" {
		id = owner(text(r.Properties["FunctionName"]))
	}
	return owner(text(s[id].Properties["Role"]))
}

// arn returns the ARN of a resource as policies name it: secrets, topics and aliases by a reference.
func (s stack) arn(id string) string {
	switch s[id].Type {
	case "":
		return ""
	case "AWS::SecretsManager::Secret", "AWS::SNS::Topic", "AWS::Lambda::Alias":
		return id
	}
	return id + ".Arn"
}
