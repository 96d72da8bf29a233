package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
)

// Pauses between starts of a process that ends before it requests an invocation.
const (
	firstRestart   = 50 * time.Millisecond
	slowestRestart = 5 * time.Second
)

// sandbox has one process at a time, and its Runtime API.
type sandbox struct {
	f        *Function
	api      *http.Server
	listener net.Listener
	token    string     // begins the paths of the Runtime API: see ownmachine.BehindToken
	ready    chan error // the first process requested an invocation, or ended before
	last     *lastLine

	mu        sync.Mutex  // guards the fields below
	process   *exec.Cmd   // nil between processes
	requested bool        // the process has requested an invocation
	current   *invocation // sent, without a response so far
	failure   error       // reported by the process at its start
}

func newSandbox(f *Function) (*sandbox, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sandbox{f: f, listener: listener, ready: make(chan error, 1), last: &lastLine{next: f.opts.Log}}
	behind, token := ownmachine.BehindToken(s.routes())
	s.api, s.token = ownmachine.Server(behind), token
	go s.api.Serve(listener)
	return s, nil
}

func (s *sandbox) close() { s.api.Close() }

// awaitReady waits until the first process has requested an invocation.
func (s *sandbox) awaitReady(ctx context.Context) error {
	select {
	case err := <-s.ready:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run keeps a process running until the function is stopped. It locks its thread because the kernel
// sends the parent-death signal when the thread that started the child ends.
func (s *sandbox) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pause := firstRestart
	for s.f.ctx.Err() == nil {
		err := s.runOnce()
		if s.cleanUp(err) {
			pause = firstRestart
			continue
		}
		select {
		case <-time.After(pause):
		case <-s.f.ctx.Done():
		}
		pause = min(2*pause, slowestRestart)
	}
}

func (s *sandbox) runOnce() error {
	cmd := exec.CommandContext(s.f.ctx, s.f.opts.Binary)
	cmd.Env = s.environment()
	cmd.Stdout, cmd.Stderr = s.last, s.last
	cmd.SysProcAttr = child(true)
	cmd.WaitDelay = time.Second
	s.mu.Lock()
	err := cmd.Start()
	if err == nil {
		s.process = cmd
		s.requested = false
		s.failure = nil
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return cmd.Wait()
}

// cleanUp fails the invocation of a process that ended, and reports whether the process had requested one.
func (s *sandbox) cleanUp(err error) bool {
	s.mu.Lock()
	inv := s.current
	requested := s.requested
	failure := s.failure
	s.process = nil
	s.current = nil
	s.requested = false
	s.mu.Unlock()
	cause := s.exitError(err, failure)
	if inv != nil {
		inv.fail(cause)
	}
	if !requested {
		s.signalReady(cause)
		s.failOneWaiting(cause)
	}
	return requested
}

func (s *sandbox) exitError(err, failure error) error {
	switch {
	case s.f.ctx.Err() != nil:
		return ErrStopped
	case failure != nil:
		return failure
	case err == nil:
		err = errors.New("exit status 0")
	}
	if line := s.last.text(); line != "" {
		return fmt.Errorf("%w: %v; last output: %s", ErrExited, err, line)
	}
	return fmt.Errorf("%w: %v", ErrExited, err)
}

// failOneWaiting fails one waiting invocation for each process that could not start, so that callers
// do not wait forever.
func (s *sandbox) failOneWaiting(cause error) {
	select {
	case inv := <-s.f.queue:
		inv.fail(cause)
	default:
	}
}

func (s *sandbox) signalReady(err error) {
	select {
	case s.ready <- err:
	default:
	}
}

// killNow sends SIGKILL if a process is running and, if wantBusy is set, has an invocation.
func (s *sandbox) killNow(wantBusy bool) (Death, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil || wantBusy && s.current == nil {
		return Death{}, false
	}
	d := Death{PID: s.process.Process.Pid}
	if s.current != nil {
		d.At = Running
	}
	return d, s.process.Process.Kill() == nil
}

// environment returns the variables that Lambda sets and the options' own.
func (s *sandbox) environment() []string {
	env := []string{
		"AWS_LAMBDA_RUNTIME_API=" + s.listener.Addr().String() + "/" + s.token,
		"AWS_LAMBDA_FUNCTION_NAME=" + s.f.opts.Name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=" + strconv.Itoa(functionMemory),
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/" + s.f.opts.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME=local",
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"AWS_EXECUTION_ENV=AWS_Lambda_provided.al2023",
		"_HANDLER=bootstrap",
		"TZ=:UTC",
		"LANG=en_US.UTF-8",
		"PATH=/usr/local/bin:/usr/bin:/bin",
	}
	return append(env, s.f.opts.Env...)
}

// functionMemory is the memory size in the environment of functions, in MB.
const functionMemory = 512
