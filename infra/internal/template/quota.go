package template

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Quotas of AWS that a catalog can exceed. Deployments fail on them half-way, so synthesis checks them.
const (
	maxRoutes    = 300  // of an HTTP API
	maxResources = 500  // of a stack
	maxPolicy    = 2048 // characters of an IoT policy
	maxTemplate  = 1_000_000
)

// longPlace has the lengths of the longest partition and region, and of an account.
var longPlace = strings.NewReplacer(
	"AWS::Partition", "aws-us-gov", "AWS::Region", "ap-southeast-1", "AWS::AccountId", "123456789012")

// CheckQuotas returns an error for a template that cannot be deployed.
func CheckQuotas(stage string, t Template) error {
	all, err := t.Resources()
	if err != nil {
		return err
	}
	if len(t) > maxTemplate {
		return fmt.Errorf("stage %s: the template has %d bytes, CloudFormation accepts %d: declare fewer kinds", stage, len(t), maxTemplate)
	}
	if len(all) > maxResources {
		return fmt.Errorf("stage %s: %d resources, CloudFormation accepts %d in a stack: declare fewer kinds, or set sources.pages: false", stage, len(all), maxResources)
	}
	routes := 0
	for id, r := range all {
		switch r.Type {
		case "AWS::ApiGatewayV2::Route":
			routes++
		case "AWS::IoT::Policy":
			text, err := json.Marshal(plain(r.Properties["PolicyDocument"]))
			if err != nil {
				return err
			}
			if len(text) > maxPolicy {
				return fmt.Errorf("stage %s: %s has %d characters, AWS IoT accepts %d in a policy: shorten sources.topic or the paths of kinds, or give some kinds another subject type", stage, id, len(text), maxPolicy)
			}
		}
	}
	if routes > maxRoutes {
		return fmt.Errorf("stage %s: %d routes, an HTTP API has at most %d: declare fewer kinds, or set sources.pages: false", stage, routes, maxRoutes)
	}
	return nil
}

// plain replaces the joins and references in a value of a template by text of the length that they may have.
func plain(value any) any {
	switch v := value.(type) {
	case []any:
		all := make([]any, len(v))
		for i, part := range v {
			all[i] = plain(part)
		}
		return all
	case map[string]any:
		if join, ok := v["Fn::Join"].([]any); ok && len(join) == 2 {
			parts, _ := join[1].([]any)
			var text strings.Builder
			for _, part := range parts {
				fmt.Fprint(&text, plain(part))
			}
			return text.String()
		}
		if ref, ok := v["Ref"].(string); ok {
			return longPlace.Replace(ref)
		}
		all := map[string]any{}
		for name, part := range v {
			all[name] = plain(part)
		}
		return all
	}
	return value
}
