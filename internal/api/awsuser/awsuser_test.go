package awsuser_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/awsuser"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// alone hides the credentials of this machine.
func alone(t *testing.T) {
	t.Helper()
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		t.Setenv(name, "")
	}
	absent := filepath.Join(t.TempDir(), "absent")
	t.Setenv("AWS_CONFIG_FILE", absent)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", absent)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

func TestConfig_SaysWhatToDoWithoutCredentials(t *testing.T) {
	alone(t)
	_, err := awsuser.Config(t.Context(), "eu-central-1")
	if !usererr.Is(err) || !strings.Contains(err.Error(), "aws configure") ||
		strings.Contains(err.Error(), "IMDS") {
		t.Errorf("got %v, want a usage error that says what to do, without the library's text", err)
	}
}

func TestConfig_HasTheRegionOfTheCaller(t *testing.T) {
	alone(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_REGION", "us-east-1")
	for region, want := range map[string]string{"": "us-east-1", "eu-central-1": "eu-central-1"} {
		if c, err := awsuser.Config(t.Context(), region); err != nil || c.Region != want {
			t.Errorf("region %q: got %q, %v; want %q", region, c.Region, err, want)
		}
	}
}
