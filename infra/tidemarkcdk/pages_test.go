package tidemarkcdk

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// The files are public and have nothing of the account, so their function may write its log only.
func TestPages_AreServedWithoutRightsWhereTheStageHasThem(t *testing.T) {
	var want []string
	for _, path := range httpapi.PagePaths {
		want = append(want, "GET "+path+" → NONE, integrations/PagesIntegration")
	}
	want = append(want, "GET /shared/{proxy+} → CUSTOM LinkAuthorizer, integrations/QueryIntegration")
	for name, deployed := range map[string]bool{"dev": false, "prod": false, "devices": false, "full": false,
		"teams": true} {
		var got []string
		for _, r := range resourcesOfType(t, name, "AWS::ApiGatewayV2::Route") {
			key := render(r.Properties["RouteKey"])
			if strings.Contains(key, " /ui") || strings.Contains(key, " /shared") {
				access := strings.TrimSpace(render(r.Properties["AuthorizationType"]) + " " +
					render(r.Properties["AuthorizerId"]))
				got = append(got, key+" → "+access+", "+render(r.Properties["Target"]))
			}
		}
		slices.Sort(got)
		all := resources(t, name)
		// tidemark access link signs only links that a route of the stage serves.
		var outputs struct{ Outputs map[string]any }
		if err := json.Unmarshal(stage(t, name), &outputs); err != nil {
			t.Fatal(err)
		}
		if _, signs := outputs.Outputs["LinkSecretArn"]; signs != deployed {
			t.Errorf("%s: names the secret of links: %v, want %v", name, signs, deployed)
		}
		if !deployed {
			if _, found := all["PagesFunction"]; found || len(got) > 0 {
				t.Errorf("%s has pages: %v", name, got)
			}
			continue
		}
		sorted := slices.Sorted(slices.Values(want))
		if diff := cmp.Diff(sorted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, p := range all["PagesRole"].Properties["Policies"].([]any) {
			for _, right := range allowed(t, at(p.(map[string]any), "PolicyDocument")) {
				if !strings.HasPrefix(right, "logs:") && !strings.HasPrefix(right, "xray:") &&
					!strings.HasPrefix(right, "kms:") {
					t.Errorf("%s: the function of the pages may %s", name, right)
				}
			}
		}
		if got := at(all["AuthorizeFunction"].Properties, "Environment", "Variables",
			config.EnvSiteSecret); render(got) != "SiteSecret" {
			t.Errorf("%s: the authorizer of links reads %v", name, got)
		}
	}
}

func TestPages_SignInAtTheIssuerOfTokens(t *testing.T) {
	const issuer = "https://login.example.com"
	var deployed config.SignIn
	text := render(at(resources(t, "teams")["PagesFunction"].Properties, "Environment", "Variables",
		config.EnvSignIn))
	if err := json.Unmarshal([]byte(text), &deployed); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if want := (config.SignIn{Issuer: issuer, Client: "browsers", Scope: "openid tidemark/read",
		Audience: "tidemark"}); deployed != want {
		t.Errorf("teams: %+v, want %+v", deployed, want)
	}
	for _, access := range []config.Access{
		{Issuer: issuer, Audience: []string{"tidemark", "console"}},
		{Issuer: issuer, Audience: []string{"console", "tidemark"}, Client: "tidemark"},
	} {
		s := &Tidemark{stage: config.Stage{Access: access}}
		if got, want := *s.signIn(),
			`{"issuer":"https://login.example.com","client":"tidemark","scope":"openid"}`; got != want {
			t.Errorf("%+v: %s, want %s", access, got, want)
		}
	}
}
