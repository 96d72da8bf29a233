package tidemarkcdk

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The result of a write key is cached by the header with the key, for no longer than a key may
// be accepted after it was revoked. A request without the header invokes no function.
func TestSenders_CachesTheResultOfAKeyForAMinute(t *testing.T) {
	for _, name := range all {
		deployed := resources(t, name)["WriteKeyAuthorizer"].Properties
		for property, want := range map[string]any{
			"AuthorizerResultTtlInSeconds": 60.0,
			"IdentitySource":               []any{"$request.header.Authorization"},
			"EnableSimpleResponses":        true,
		} {
			if diff := cmp.Diff(want, deployed[property]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", name, property, diff)
			}
		}
	}
}

// Authorize may read write keys, and no other item of the table.
func TestPrivileges_AuthorizeReadsWriteKeysOnly(t *testing.T) {
	for _, name := range all {
		found := false
		role := resources(t, name)["AuthorizeRole"].Properties
		for _, p := range role["Policies"].([]any) {
			for _, s := range at(p.(map[string]any), "PolicyDocument", "Statement").([]any) {
				statement := s.(map[string]any)
				if statement["Sid"] != "Table" {
					continue
				}
				found = true
				want := map[string]any{"ForAllValues:StringEquals": map[string]any{"dynamodb:LeadingKeys": []any{"JOB#writekeys"}}}
				if diff := cmp.Diff(want, statement["Condition"]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		}
		if !found {
			t.Errorf("%s: authorize has no right to the table", name)
		}
	}
}
