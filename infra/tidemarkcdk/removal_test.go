package tidemarkcdk

import "testing"

// What is retained later is deleted if the deployment that creates it fails.
func TestRetained_ExceptOnCreate(t *testing.T) {
	for _, name := range all {
		kept := 0
		for id, r := range resources(t, name) {
			switch policy := r.Attributes["DeletionPolicy"]; policy {
			case nil, "Delete":
			case "RetainExceptOnCreate":
				kept++
			default:
				t.Errorf("%s: %s has the deletion policy %v", name, id, policy)
			}
		}
		if kept == 0 {
			t.Errorf("%s retains nothing, want at least the secret of the site keys", name)
		}
	}
}
