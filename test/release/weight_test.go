package release

import (
	"slices"
	"strings"
	"testing"
)

// A program pays for what it links: the store of DynamoDB brings the SDK's modules, and nothing brings
// YAML, a command line, pages or a protocol of senders.
func TestLibrary_LinksFewModules(t *testing.T) {
	t.Parallel()
	const root = "github.com/tidemark-db/tidemark"
	sdk := []string{
		"github.com/aws/aws-sdk-go-v2", "github.com/aws/aws-sdk-go-v2/internal/configsources",
		"github.com/aws/aws-sdk-go-v2/internal/endpoints/v2", "github.com/aws/aws-sdk-go-v2/service/dynamodb",
		"github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding",
		"github.com/aws/aws-sdk-go-v2/service/internal/endpoint-discovery", "github.com/aws/smithy-go",
	}
	always := []string{
		"github.com/agnivade/levenshtein", "github.com/holiman/uint256", "github.com/oklog/ulid/v2",
		"golang.org/x/net", "golang.org/x/sync", "golang.org/x/text",
	}
	for path, besides := range map[string][]string{
		"timeseries":                {},
		"lifecycle":                 {},
		"changes":                   {},
		"dynamo":                    sdk,
		"timeseries/timeseriestest": {"github.com/tidwall/btree"},
		"streamtest":                {"github.com/tidwall/btree", "go.etcd.io/bbolt", "golang.org/x/sys"},
	} {
		list := run(t, "../..", nil, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}",
			"./pkg/"+path)
		got := slices.Compact(slices.Sorted(slices.Values(strings.Fields(list))))
		want := slices.Sorted(slices.Values(slices.Concat(always, besides, []string{root})))
		if !slices.Equal(got, want) {
			t.Errorf("pkg/%s links %q, want %q", path, got, want)
		}
	}
}

// A user has no workspace: the versions of its own go.mod decide.
func TestUserProgram_BuildsByItsOwnModules(t *testing.T) {
	t.Parallel()
	run(t, "../userprogram", []string{"GOWORK=off"}, "go", "vet", "./...")
}
