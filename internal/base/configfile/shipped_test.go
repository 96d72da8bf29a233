package configfile_test

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/metrics"
)

const shippedFile = "../../../tidemark.yaml"

// shippedKinds are the kinds that the shipped file names.
func shippedKinds() []catalog.Kind { return slices.Concat(iot.Kinds(), metrics.Kinds()) }

func shipped(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(shippedFile)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The functions use Default if they are deployed without a file: it must equal the shipped
// file.
func TestDefault_EqualsTheShippedFile(t *testing.T) {
	loaded, err := configfile.Load(shippedFile, shippedKinds()...)
	if err != nil {
		t.Fatal(err)
	}
	byDefault := config.Default(shippedKinds()...)
	if diff := cmp.Diff(byDefault, loaded, cmpopts.IgnoreFields(config.Config{}, "Kinds")); diff != "" {
		t.Errorf("the shipped file differs from Default (-default +file):\n%s", diff)
	}
	if diff := cmp.Diff(kinds(t, byDefault), kinds(t, loaded),
		cmpopts.IgnoreUnexported(catalog.Kind{})); diff != "" {
		t.Errorf("the shipped file's kinds differ from the domains' (-domains +file):\n%s", diff)
	}
}

// kinds are c's kinds with every default filled in.
func kinds(t *testing.T, c *config.Config) []catalog.Kind {
	t.Helper()
	cat, err := c.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	return cat.Kinds
}

func TestDefault_IsValid(t *testing.T) {
	if err := config.Default(shippedKinds()...).Validate(); err != nil {
		t.Errorf("with the domains' rows: %v", err)
	}
	if err := config.Default().Validate(); err != nil {
		t.Errorf("without any kind: %v", err)
	}
}

func TestParse_AnEmptyFileIsTheDefault(t *testing.T) {
	for _, data := range []string{"", "\n# nothing\n", "{}",
		"limits:\nkinds:\ntiers:\nstages:\n  # all commented out\n"} {
		got, err := configfile.Parse("tidemark.yaml", []byte(data))
		if err != nil {
			t.Errorf("%q: %v", data, err)
			continue
		}
		if diff := cmp.Diff(config.Default(), got); diff != "" {
			t.Errorf("%q (-default +got):\n%s", data, diff)
		}
	}
}
