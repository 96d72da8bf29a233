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
