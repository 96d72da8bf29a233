// Package samples sends the sample payloads of the folder events to functions.
package samples

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// Command returns the program of make invoke. It sends one payload to one function as Lambda does: to the
// deployed binary, built for this machine, under the Lambda Runtime API, with a table in DynamoDB Local. It
// prints the response, and the log to standard error. TIDEMARK_ENDPOINT and TIDEMARK_TABLE select an
// existing table, such as the table of a running "tidemark dev". Without them, the table is new and is
// removed afterwards.
func Command() *cobra.Command {
	return &cobra.Command{
		Use: "invoke FUNCTION FILE", Args: cobra.ExactArgs(2),
		Example: "invoke ingest events/ingest/http-batch.json",
		Short:   "Send one payload to one function, as Lambda does",
		RunE: func(cmd *cobra.Command, args []string) error {
			return invoke(cmd.Context(), args[0], args[1], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

func invoke(ctx context.Context, name, file string, out, log io.Writer) error {
	payload, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	settings, err := configfile.Load(configfile.FileName, domains.Kinds()...)
	if err != nil {
		return err
	}
	database, err := ddblocal.Start(ctx, ddblocal.FromEnv())
	if err != nil {
		return err
	}
	defer database.Stop()
	function, err := singleFunction{
		name: name, config: settings, path: configfile.FileName, log: log,
		endpoint: database.Endpoint, table: cmp.Or(os.Getenv(config.EnvTable), "tidemark"),
	}.start(ctx)
	if err != nil {
		return err
	}
	defer function.Stop()
	response, err := function.Invoke(ctx, payload)
	if err != nil {
		return err
	}
	return show(out, response)
}

// singleFunction is one function of the stack, to be invoked with chosen payloads.
type singleFunction struct {
	name     string // of its directory, such as ingest
	config   *config.Config
	path     string    // of the file that config was read from
	endpoint string    // of the DynamoDB that has the table
	table    string    // created if it does not exist
	log      io.Writer // what the function prints
	binaries string    // the directory of the binaries; "" searches for it
}

// start starts the function with its deployed settings. The caller must stop it.
func (f singleFunction) start(ctx context.Context) (*stack.Function, error) {
	all := stack.Settings(f.config)
	deployed, found := all[f.name]
	if !found {
		return nil, fmt.Errorf("no function is named %q: use one of %s", f.name,
			strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	binaries, err := stack.FindBinaries(ctx, f.binaries, f.name)
	if err != nil {
		return nil, err
	}
	if _, err := stack.EnsureTable(ctx, f.endpoint, f.table); err != nil {
		return nil, err
	}
	return stack.StartFunction(ctx, stack.FunctionOptions{
		Name: "tidemark-" + f.name, Binary: binaries[f.name], Timeout: deployed.Timeout, Log: f.log,
		Env: stack.Environment(f.endpoint, f.table, f.path),
	})
}

// show prints the response with indentation, and its body too if that is JSON.
func show(out io.Writer, response []byte) error {
	var whole map[string]any
	if json.Unmarshal(response, &whole) != nil {
		_, err := fmt.Fprintf(out, "%s\n", response)
		return err
	}
	if body, ok := whole["body"].(string); ok && json.Valid([]byte(body)) {
		whole["body"] = json.RawMessage(body)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		return err
	}
	_, err := out.Write(text.Bytes())
	return err
}
