package loggers

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Rig is a running stack with a Counter that receives the same deliveries as the aggregate function.
type Rig struct {
	Stack   *stack.Stack
	Config  *config.Config
	Counter Counter

	command  string
	root     string
	dir      string
	listener func(payload []byte) // may be nil
	mu       sync.Mutex
	tapError error // of the counter; guarded by mu
}

// Options configure a Rig.
type Options struct {
	Faults    stack.Faults
	OnKill    func(stack.Death)
	Root      string // of the checkout; "" is the working directory
	Command   string // path of the tidemark command; "" builds it from Root
	Functions string // directory of function binaries; "" searches build/local
	Table     string // "" means tidemark
	Endpoint  string // of a running DynamoDB; "" starts one
	Data      string // directory of the tables; "" keeps them in memory
	HeapMB    int    // of DynamoDB Local; zero means its default
	// Tap is called with each payload for aggregate before its delivery. It may be nil.
	Tap func(payload []byte)
}

// StartRig starts the stack with the tidemark.yaml of the checkout.
func StartRig(ctx context.Context, o Options) (*Rig, error) {
	configPath, err := filepath.Abs(filepath.Join(o.Root, "tidemark.yaml"))
	if err != nil {
		return nil, fmt.Errorf("find tidemark.yaml: %w", err)
	}
	cfg, err := configfile.Load(configPath, domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tidemark-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for logs: %w", err)
	}
	r := &Rig{Config: cfg, dir: dir, listener: o.Tap, command: o.Command, root: o.Root}
	if r.command == "" {
		if r.command, err = build(ctx, o.Root, dir); err != nil {
			os.RemoveAll(dir)
			return nil, err
		}
	}
	database := ddblocal.FromEnv()
	database.HeapMB, database.DataDir = o.HeapMB, o.Data
	database.Endpoint = cmp.Or(o.Endpoint, database.Endpoint)
	r.Stack, err = stack.Start(ctx, stack.Options{
		Config:     cfg,
		ConfigPath: configPath,
		Table:      o.Table,
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

// build builds the tidemark command of a checkout in dir.
func build(ctx context.Context, root, dir string) (string, error) {
	command := filepath.Join(dir, "tidemark")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", command,
		"./cmd/tidemark")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the tidemark command: %w\n%s", err, out)
	}
	return command, nil
}

func (r *Rig) tap(payload []byte) {
	if r.listener != nil {
		r.listener(payload)
	}
	if err := r.Counter.Deliver(payload); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tapError = err
	}
}

// Stop stops the stack and removes its logs.
func (r *Rig) Stop() {
	r.Stack.Stop()
	os.RemoveAll(r.dir)
}

// Tidemark runs the tidemark command with the stack, as a user would.
func (r *Rig) Tidemark(ctx context.Context, out io.Writer, args ...string) error {
	return r.Run(ctx, out, r.command, args...)
}

// Run runs the tidemark command at a path, which may be another release's, with the stack, in the root of the
// checkout.
func (r *Rig) Run(ctx context.Context, out io.Writer, command string, args ...string) error {
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(),
		"TIDEMARK_URL="+r.Stack.URL, "TIDEMARK_ENDPOINT="+r.Stack.Endpoint, "TIDEMARK_TABLE="+r.Stack.Table)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("tidemark %s: %w", args[0], err)
	}
	return nil
}

// Rows returns all stored rows after every accepted event is in them.
func (r *Rig) Rows(ctx context.Context) ([]rollup.Row, error) {
	if err := r.Stack.Idle(ctx); err != nil {
		return nil, fmt.Errorf("wait for the rollups: %w", err)
	}
	r.mu.Lock()
	tapError := r.tapError
	r.mu.Unlock()
	if tapError != nil {
		return nil, tapError
	}
	table, err := r.Table(ctx)
	if err != nil {
		return nil, err
	}
	return Rows(ctx, table)
}

// Table returns the table of the stack.
func (r *Rig) Table(ctx context.Context) (*dynamo.Table, error) {
	client, err := dynamo.NewClient(ctx, "", r.Stack.Endpoint)
	return dynamo.New(client, r.Stack.Table), err
}

// Scanner reads pages of a table.
type Scanner interface {
	Scan(ctx context.Context, after keys.Key) (items []item.Item, next keys.Key, err error)
}

// Rows returns all stored rows of a table.
func Rows(ctx context.Context, table Scanner) (rows []rollup.Row, err error) {
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
