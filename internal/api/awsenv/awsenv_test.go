package awsenv_test

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/awsenv"
)

func TestConfig_ReadsRegionAndCredentialsFromTheEnvironment(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "token")
	c, err := awsenv.Config("")
	if err != nil || c.Region != "eu-central-1" {
		t.Fatalf("region %q, %v", c.Region, err)
	}
	got, err := c.Credentials.Retrieve(t.Context())
	if err != nil || got.AccessKeyID != "id" || got.SecretAccessKey != "secret" || got.SessionToken != "token" {
		t.Errorf("credentials %+v, %v", got, err)
	}
	if c, err := awsenv.Config("us-west-2"); err != nil || c.Region != "us-west-2" {
		t.Errorf("explicit region: %q, %v", c.Region, err)
	}
}

func TestConfig_ReturnsAnErrorForWhatIsMissing(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv(name, "")
	}
	if _, err := awsenv.Config(""); !errors.Is(err, awsenv.ErrNoRegion) {
		t.Errorf("without a region: %v", err)
	}
	c, err := awsenv.Config("eu-central-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Credentials.Retrieve(t.Context()); !errors.Is(err, awsenv.ErrNoCredentials) {
		t.Errorf("without credentials: %v", err)
	}
}
