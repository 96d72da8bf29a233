package local

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/config"
)

// SingleFunction is one function of the stack, to be invoked with chosen payloads.
type SingleFunction struct {
	Name     string // name of its directory, such as ingest
	Config   *config.Config
	Path     string    // of the file that Config was read from; "" for the defaults
	Endpoint string    // of the DynamoDB that has the table
	Table    string    // created if it does not exist
	Log      io.Writer // what the function prints; nil discards it
	// BinaryDir contains the binary of the function; "" searches for it, see FindBinaries.
	BinaryDir string
}

// Start starts the function with its deployed settings. The caller must stop it.
func (a SingleFunction) Start(ctx context.Context) (*Function, error) {
	for _, d := range deployed {
		if d.name != a.Name {
			continue
		}
		binaries, err := FindBinaries(ctx, a.BinaryDir, a.Name)
		if err != nil {
			return nil, err
		}
		if _, err := ensureTable(ctx, a.Endpoint, a.Table); err != nil {
			return nil, err
		}
		return StartFunction(ctx, FunctionOptions{
			Name:    "tidemark-" + a.Name,
			Binary:  binaries[a.Name],
			Env:     environment(a.Endpoint, a.Table, a.Path),
			Timeout: d.settings(a.Config).Timeout,
			Log:     a.Log,
		})
	}
	return nil, fmt.Errorf("no function is named %q: use one of %s", a.Name, strings.Join(functionNames(), ", "))
}
