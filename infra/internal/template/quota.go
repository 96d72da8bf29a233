package template

import (
	"encoding/json"
	"fmt"
	"strings"
)

// longest are texts and the characters that AWS accepts at most.
var longest = []struct {
	kind, property string
	most           int
	advice         string
}{
	{"Lambda::Function", "FunctionName", 64, shorterName},
	{"Events::Rule", "Name", 64, shorterName},
	{"IoT::TopicRule", "RuleName", 128, shorterName},
	{"IoT::Policy", "PolicyName", 128, shorterName},
	{"CloudWatch::Alarm", "AlarmName", 255, shorterName},
	{"CloudWatch::CompositeAlarm", "AlarmRule", 10240, shorterName},
	{"IoT::Policy", "PolicyDocument", 2048,
		"shorten sources.topic or the paths of kinds, or give some kinds another subject type"},
}

const shorterName = "shorten the name of the stage or construct"

// longPlace has the lengths of the longest partition and region, and of an account.
var longPlace = strings.NewReplacer(
	"AWS::Partition", "aws-us-gov", "AWS::Region", "ap-southeast-1", "AWS::AccountId", "123456789012")

// MaxResources is how many resources a stack may have.
const MaxResources = 500

// CheckQuotas returns an error for a template that cannot be deployed, for which deployments fail half-way.
func CheckQuotas(stage string, t Template) error {
	all, err := t.Resources()
	if err != nil {
		return err
	}
	routes := 0
	for id, r := range all {
		for _, l := range longest {
			text, err := json.Marshal(plain(r.Properties[l.property]))
			if n := len(strings.Trim(string(text), `"`)); err == nil && r.Type == "AWS::"+l.kind && n > l.most {
				return fmt.Errorf("stage %s: %s of %s has %d characters, AWS accepts %d: %s", stage, l.property, id, n,
					l.most, l.advice)
			}
		}
		if r.Type == "AWS::ApiGatewayV2::Route" {
			routes++
		}
	}
	for _, c := range []struct {
		n, most      int
		what, advice string
	}{
		{len(t), 1_000_000, "bytes in the template", "declare fewer kinds"},
		{len(all), MaxResources, "resources in the stack", "declare fewer kinds, or set sources.pages: false"},
		{routes, 300, "routes of the HTTP API", "declare fewer kinds, or set sources.pages: false"},
	} {
		if c.n > c.most {
			return fmt.Errorf("stage %s: %d %s, AWS accepts %d: %s", stage, c.n, c.what, c.most, c.advice)
		}
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
