package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
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
	opts.Timeout = cmp.Or(opts.Timeout, defaultTimeout)
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
