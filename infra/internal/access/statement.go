package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/infra/internal/template"
)

// Statement is one statement of a policy that allows something, or one permission of a function.
type Statement struct {
	Owner      string // logical id of the resource that has the policy: a role, or what the policy is of
	Sid        string
	principals []string // of a resource's policy: services, and "account" for the account itself
	actions    []string
	resources  []string
	conditions map[string]any // operator → key → value
}

// policies are where resources have policies, and the property that names what they are of.
var policies = map[string]struct{ document, of string }{
	"AWS::SNS::TopicPolicy": {"PolicyDocument", "Topics"},
	"AWS::SQS::QueuePolicy": {"PolicyDocument", "Queues"},
	"AWS::KMS::Key":         {"KeyPolicy", ""},
}

// Statements returns the statements of a template that allow something.
func Statements(resources map[string]template.Resource) (all []Statement) {
	for id, r := range resources {
		switch where, has := policies[r.Type]; {
		case has:
			own := id
			if of := list(r.Properties[where.of]); len(of) > 0 {
				own = owner(text(of[0]))
			}
			all = append(all, statements(own, at(r.Properties, where.document))...)
		case r.Type == "AWS::IAM::Role":
			for _, p := range list(r.Properties["Policies"]) {
				all = append(all, statements(id, at(p, "PolicyDocument"))...)
			}
		case r.Type == "AWS::IAM::Policy":
			for _, role := range list(r.Properties["Roles"]) {
				all = append(all, statements(text(role), r.Properties["PolicyDocument"])...)
			}
		case r.Type == "AWS::Lambda::Permission":
			all = append(all, permission(id, r))
		}
	}
	slices.SortFunc(all, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Sid, b.Sid),
			slices.Compare(a.actions, b.actions))
	})
	return all
}

func statements(own string, document any) (all []Statement) {
	for _, s := range list(at(document, "Statement")) {
		if at(s, "Effect") != "Allow" {
			continue // for what no part of a stack sends: without TLS, to partitions of others
		}
		conditions, _ := at(s, "Condition").(map[string]any)
		statement := Statement{
			Owner:      own,
			Sid:        text(at(s, "Sid")),
			principals: texts(at(s, "Principal", "Service")),
			actions:    texts(at(s, "Action")),
			resources:  texts(at(s, "Resource")),
			conditions: conditions,
		}
		for _, p := range texts(at(s, "Principal", "AWS")) {
			if strings.HasSuffix(p, ":root") {
				statement.principals = append(statement.principals, "account")
			}
		}
		all = append(all, statement)
	}
	return all
}

func texts(value any) (all []string) {
	for _, v := range list(value) {
		all = append(all, text(v))
	}
	return all
}

// permission returns the permission of a function as a statement of its policy.
func permission(id string, r template.Resource) Statement {
	s := Statement{
		Owner:      owner(text(r.Properties["FunctionName"])),
		Sid:        id,
		principals: texts(r.Properties["Principal"]),
		actions:    texts(r.Properties["Action"]),
		resources:  texts(r.Properties["FunctionName"]),
		conditions: map[string]any{},
	}
	if source := r.Properties["SourceArn"]; source != nil {
		s.conditions["ArnLike"] = map[string]any{"aws:SourceArn": source}
	}
	if account := r.Properties["SourceAccount"]; account != nil {
		s.conditions["StringEquals"] = map[string]any{"aws:SourceAccount": account}
	}
	return s
}

// Denied returns the requests that no statement allows.
func Denied(edges []Edge, statements []Statement) (denied []Edge) {
	for _, e := range edges {
		allowed := allow(statements, e)
		// A key's own policy must let the account allow its roles the key.
		if strings.HasPrefix(e.Action, "kms:") && e.byRole() {
			allowed = allowed && allow(statements, Edge{Principal: "account", Action: e.Action, To: e.To})
		}
		if !allowed {
			denied = append(denied, e)
		}
	}
	return denied
}

func allow(statements []Statement, e Edge) bool {
	return slices.ContainsFunc(statements, func(s Statement) bool { return s.allows(e) })
}

// allows reports whether the statement allows a request.
func (s Statement) allows(e Edge) bool {
	if e.byRole() && e.Principal != "account" {
		if s.Owner != e.Principal {
			return false
		}
	} else if s.Owner != owner(e.To) || !slices.Contains(s.principals, e.Principal) {
		return false
	}
	return slices.ContainsFunc(s.actions, func(a string) bool { return matches(a, e.Action) }) &&
		slices.ContainsFunc(s.resources, func(r string) bool { return matches(r, e.To) }) && s.meets(e)
}

// Has reports whether the statement has a condition on a key, such as kms:ViaService.
func (s Statement) Has(condition string) bool {
	for _, keys := range s.conditions {
		if at(keys, condition) != nil {
			return true
		}
	}
	return false
}

// meets reports whether a request meets the conditions of the statement. Conditions that are not known here
// are not met.
func (s Statement) meets(e Edge) bool {
	for _, keys := range s.conditions {
		members, _ := keys.(map[string]any)
		for key, value := range members {
			switch key {
			case "aws:SourceAccount", "kms:CallerAccount": // every request is of this account
			case "dynamodb:LeadingKeys", "kms:EncryptionContext:aws:logs:arn": // they bound what a request may name
			case "aws:SourceArn":
				if !matches(text(value), e.Source) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}
