package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// FunctionOptions say how a function is run.
type FunctionOptions struct {
	Name        string        // as in its ARN and in the environment
	Binary      string        // path of the bootstrap, built for this machine
	Env         []string      // KEY=value; the parent's environment is not passed on, as in Lambda
	Timeout     time.Duration // of one invocation; zero means 30 seconds
	Concurrency int           // processes; zero means 1
	Log         io.Writer     // what the function prints, whole lines; nil discards it
	OnKill      func(Death)   // told of each process that was killed on purpose; may be nil
}

// defaultTimeout is Lambda's for functions behind an HTTP API.
const defaultTimeout = 30 * time.Second

// Function is a deployed binary run as a pool of processes under the Lambda Runtime
// API. A process that dies is started again; the invocation it was in ends in an
// error. It is safe for concurrent use.
type Function struct {
	opts      FunctionOptions
	queue     chan *invocation // unbuffered: handed over to whichever process asks next
	ctx       context.Context  // ends the processes
	stop      context.CancelFunc
	running   sync.WaitGroup
	sandboxes []*sandbox
	aim       atomic.Pointer[Moment] // armed by KillNext
	deaths    deaths
}

// Errors of Invoke. What the function itself answered as an error is a *FunctionError.
var (
	ErrExited   = errors.New("the process ended before it answered")
	ErrTimedOut = errors.New("the function ran into its timeout and was killed")
	ErrStopped  = errors.New("the function was stopped")
)

// FunctionError is an error the function answered with.
type FunctionError struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// StartFunction starts the processes and waits until each has asked for its first
// invocation. A binary that cannot be started, or that ends before it asks, is an
// error with the last line it printed.
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

// Invoke hands payload to a process and answers what it answered. When ctx ends
// first, the invocation goes on without its caller, as in Lambda.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	inv := newInvocation(payload)
	select {
	case f.queue <- inv:
	case <-ctx.Done():
		return nil, fmt.Errorf("invoke %s: %w", f.opts.Name, ctx.Err())
	case <-f.ctx.Done():
		return nil, fmt.Errorf("invoke %s: %w", f.opts.Name, ErrStopped)
	}
	select {
	case answer := <-inv.done:
		if answer.err != nil {
			return nil, fmt.Errorf("invoke %s: %w", f.opts.Name, answer.err)
		}
		return answer.body, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("invoke %s: %w", f.opts.Name, ctx.Err())
	}
}

// Stop ends every process and waits for it. What is under way ends in ErrStopped.
func (f *Function) Stop() {
	f.stop()
	f.running.Wait()
	for _, s := range f.sandboxes {
		s.close()
	}
}
