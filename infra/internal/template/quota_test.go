package template

import (
	"encoding/json"
	"strings"
	"testing"
)

func newTemplate(t *testing.T, resources map[string]any) Template {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Resources": resources})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Each name and text may be as long as AWS accepts, and no longer. A reference counts as the longest that it
// can be.
func TestCheckQuotas_NamesAndTextsHaveALongestForm(t *testing.T) {
	for _, limit := range longest {
		for extra, want := range map[int]string{0: "", 1: "has"} {
			name := map[string]any{"Fn::Join": []any{"",
				[]any{map[string]any{"Ref": "AWS::AccountId"}, strings.Repeat("x", limit.most-12+extra)}}}
			err := CheckQuotas("prod", newTemplate(t, map[string]any{"Long": map[string]any{"Type": "AWS::" +
				limit.kind, "Properties": map[string]any{limit.property: name}}}))
			if (err != nil) != (want != "") ||
				err != nil && !strings.Contains(err.Error(), limit.property+" of Long") {
				t.Errorf("%s: %s of %d characters: %v", limit.kind, limit.property, limit.most+extra, err)
			}
		}
	}
}

func TestCheckQuotas_CountsResourcesRoutesAndBytes(t *testing.T) {
	many := func(n int, kind, text string) Template {
		all := map[string]any{}
		for i := range n {
			all[strings.Repeat("r", i+1)] = map[string]any{"Type": kind, "Properties": map[string]any{"Text": text}}
		}
		return newTemplate(t, all)
	}
	for _, c := range []struct {
		template Template
		want     string
	}{
		{many(500, "AWS::SQS::Queue", ""), ""},
		{many(501, "AWS::SQS::Queue", ""), "501 resources in the stack"},
		{many(300, "AWS::ApiGatewayV2::Route", ""), ""},
		{many(301, "AWS::ApiGatewayV2::Route", ""), "301 routes"},
		{many(1, "AWS::SQS::Queue", strings.Repeat("x", 1_000_000)), "bytes"},
		{Template("{"), "read template"},
	} {
		err := CheckQuotas("prod", c.template)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
