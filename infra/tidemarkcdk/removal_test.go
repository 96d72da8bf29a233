package tidemarkcdk

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

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

// What is retained can be read later: its key is retained too, also in a stage that keeps nothing else.
func TestRetained_WithItsKey(t *testing.T) {
	needNode(t)
	settings := shipped(t)
	settings.Stages = nil
	for _, removal := range []config.Removal{config.Destroy, config.Retain} {
		stage := config.NewStage(string(removal))
		stage.Removal = removal
		stage.CustomerKey = true
		stage.Sources.Pages = true
		settings.Stages = append(settings.Stages, stage)
	}
	for name, stage := range synthesize(t, settings) {
		found, err := stage.Resources()
		if err != nil {
			t.Fatal(err)
		}
		isRetained := func(id string) bool {
			return found[id].Attributes["DeletionPolicy"] == "RetainExceptOnCreate"
		}
		encrypted := 0
		for id, r := range found {
			properties, err := json.Marshal(r.Properties)
			if err != nil {
				t.Fatal(err)
			}
			if !isRetained(id) || !strings.Contains(string(properties), `["Key","Arn"]`) {
				continue
			}
			if encrypted++; !isRetained("Key") {
				t.Errorf("%s: %s is retained, and its key is deleted", name, id)
			}
		}
		if encrypted == 0 {
			t.Errorf("%s: nothing that is retained is encrypted, want the secret of site keys", name)
		}
	}
}
