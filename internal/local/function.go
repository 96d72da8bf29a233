package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
)

// FunctionOptions describe how to run a function.
type FunctionOptions struct {
	Name        string        // in its ARN and environment
	Binary      string        // path of the bootstrap, built for this machine
	Env         []string      // KEY=value; the environment of this process is not inherited, as in Lambda
	Timeout     time.Duration // of one invocation; zero means 30 seconds
	Concurrency int           // processes; zero means 1
	Log         io.Writer     // receives the output of the function, in whole lines; nil discards it
	OnKill      func(Death)   // called for each process killed by Kill or KillNext; may be nil
}

// defaultTimeout is Lambda's for functions behind an HTTP API.
const defaultTimeout = 30 * time.Second

// Function runs a deployed binary as a pool of processes under the Lambda Runtime API. A process
// that ends is started again, and its invocation returns an error. It is safe for concurrent use.
type Function struct {
	opts      FunctionOptions
	queue     chan *invocation // unbuffered: received by the next free process
	ctx       context.Context  // ends the processes
	stop      context.CancelFunc
	running   sync.WaitGroup
	sandboxes []*sandbox
	armed     atomic.Pointer[Moment] // set by KillNext
	deaths    deaths
}

// Errors of Invoke. An error that the function returned is a *FunctionError.
var (
	ErrExited   = errors.New("the process ended before it responded")
	ErrTimedOut = errors.New("the function timed out and was killed")
	ErrStopped  = errors.New("the function was stopped")
)

// FunctionError is an error that the function returned.
type FunctionError struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// StartFunction starts the processes and waits until each requests its first invocation. If a
// process cannot be started, or ends before that, the error contains its last line of output.
func StartFunction(ctx context.Context, opts FunctionOptions) (*Function, error) {
	if opts.Timeout == 0 {
		opts.Timeout = defaultTimeout
	}
	opts.Concurrency = max(opts.Concurrency, 1)
	f := &Function{opts: opts, queue: make(chan *invocation)}
	f.ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	for range opts.Concurrency {
		s, err := newSandbox(f)
		if err != nil {
			f.Stop()
			return nil, fmt.Errorf("start function %s: %w", opts.Name, err)
		}
		f.sandboxes = append(f.sandboxes, s)
		f.running.Go(s.run)
	}
	for _, s := range f.sandboxes {
		if err := s.awaitReady(ctx); err != nil {
			f.Stop()
			return nil, fmt.Errorf("start function %s: %w", opts.Name, err)
		}
	}
	return f, nil
}

// Invoke sends payload to a process and returns the response. If ctx ends first, the invocation
// continues without its caller, as in Lambda.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return f.invoke(ctx, newInvocation(payload))
}

// eventAttempts is how often Lambda invokes a function for a service that does not wait.
const eventAttempts = 3

// InvokeEvent invokes the function as Lambda does for a service that does not wait for a response:
// after an error again, with the same request id. It returns the error of the last attempt.
func (f *Function) InvokeEvent(ctx context.Context, payload []byte) (err error) {
	first := newInvocation(payload)
	for range eventAttempts {
		inv := newInvocation(payload)
		inv.id = first.id
		if _, err = f.invoke(ctx, inv); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (f *Function) invoke(ctx context.Context, inv *invocation) ([]byte, error) {
	select {
	case f.queue <- inv:
	case <-ctx.Done():
		return nil, fmt.Errorf("invoke %s: %w", f.opts.Name, ctx.Err())
	case <-f.ctx.Done():
		return nil, fmt.Errorf("invoke %s: %w", f.opts.Name, ErrStopped)
	}
	select {
	case response := <-inv.done:
		if response.err != nil {
			return nil, fmt.Errorf("invoke %s: %w", f.opts.Name, response.err)
		}
		return response.body, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("invoke %s: %w", f.opts.Name, ctx.Err())
	}
}

// Stop ends every process and waits for it. Running invocations return ErrStopped.
func (f *Function) Stop() {
	f.stop()
	f.running.Wait()
	for _, s := range f.sandboxes {
		s.close()
	}
}

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
