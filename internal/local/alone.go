package local

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/config"
)

// Alone is one function of the stack, run by itself, to be sent payloads by hand.
type Alone struct {
	Name     string // as its folder: ingest
	Config   *config.Config
	Path     string    // of the file Config was read from; "" where it is the defaults
	Endpoint string    // of the DynamoDB that has the table
	Table    string    // made where there is none
	Log      io.Writer // what the function prints; nil discards it
	// BinaryDir is where the function lies; "" searches, see FindBinaries.
	BinaryDir string
}

// Start brings the function up with the settings it deploys with. It is the caller's
// to stop.
func (a Alone) Start(ctx context.Context) (*Function, error) {
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
	return nil, fmt.Errorf("no function is named %q: want one of %s", a.Name, strings.Join(functionNames(), ", "))
}
