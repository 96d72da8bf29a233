package loggers

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/tidemark-db/tidemark/internal/local"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/config"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Rig is the running stack with a plain counter beside the aggregate function, both
// fed the same deliveries.
type Rig struct {
	Stack   *local.Stack
	Config  *config.Config
	Counter Counter

	dir      string
	tapError error // of the counter; deliveries go on
}

// Options say what a rig runs.
type Options struct {
	Faults    local.Faults
	OnKill    func(local.Death)
	Functions string // directory of function binaries; "" searches build/local
	HeapMB    int    // of DynamoDB Local; zero means its default
}

// StartRig brings the stack up as the working directory's tidemark.yaml says.
func StartRig(ctx context.Context, o Options) (*Rig, error) {
	cfg, err := config.Load("tidemark.yaml", iot.Kinds()...)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tidemark-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for logs: %w", err)
	}
	r := &Rig{Config: cfg, dir: dir}
	database := ddblocal.FromEnv()
	database.HeapMB = o.HeapMB
	r.Stack, err = local.Start(ctx, local.Options{
		Config:     cfg,
		ConfigPath: "tidemark.yaml",
		DynamoDB:   database,
		BinaryDir:  o.Functions,
		Dir:        dir,
		Faults:     o.Faults,
		Tap:        r.tap,
		OnKill:     o.OnKill,
	})
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return r, nil
}

func (r *Rig) tap(payload []byte) {
	if err := r.Counter.Deliver(payload); err != nil {
		r.tapError = err
	}
}

// Stop ends the stack and removes its logs.
func (r *Rig) Stop() {
	r.Stack.Stop()
	os.RemoveAll(r.dir)
}

// Tidemark runs the command line against the stack, as a user would.
func (r *Rig) Tidemark(ctx context.Context, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "bin/tidemark", args...)
	cmd.Env = append(os.Environ(),
		"TIDEMARK_URL="+r.Stack.URL, "TIDEMARK_ENDPOINT="+r.Stack.Endpoint, "TIDEMARK_TABLE="+r.Stack.Table)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("tidemark %s: %w", args[0], err)
	}
	return nil
}

// Rows are all stored rows, once everything that was accepted is folded.
func (r *Rig) Rows(ctx context.Context) ([]rollup.Row, error) {
	if err := r.Stack.Idle(ctx); err != nil {
		return nil, fmt.Errorf("wait for the rollups: %w", err)
	}
	if r.tapError != nil {
		return nil, r.tapError
	}
	client, err := dynamo.NewClient(ctx, "", r.Stack.Endpoint)
	if err != nil {
		return nil, err
	}
	table := dynamo.New(client, r.Stack.Table)
	var rows []rollup.Row
	for position := (keys.Key{}); ; {
		items, next, err := table.Scan(ctx, position)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			if _, err := keys.ParseRow(it.Key()); err != nil {
				continue
			}
			row, err := item.Row(it)
			if err != nil {
				return nil, fmt.Errorf("read row %v: %w", it.Key(), err)
			}
			rows = append(rows, row)
		}
		if next == (keys.Key{}) {
			return rows, nil
		}
		position = next
	}
}
