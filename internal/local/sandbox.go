package local

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
)

// Waits between starts of a process that ends before it asks for work.
const (
	firstRestart   = 50 * time.Millisecond
	slowestRestart = 5 * time.Second
)

// sandbox is one process slot: its own Runtime API, and the process that talks to it.
type sandbox struct {
	f        *Function
	api      *http.Server
	listener net.Listener
	ready    chan error // the first process asked for work, or ended before
	last     *lastLine

	mu      sync.Mutex  // guards what follows
	process *exec.Cmd   // nil between processes
	asked   bool        // the process has asked for work
	current *invocation // handed over, not answered
	failure error       // what the process reported at its start
}

func newSandbox(f *Function) (*sandbox, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sandbox{f: f, listener: listener, ready: make(chan error, 1), last: &lastLine{next: f.opts.Log}}
	s.api = &http.Server{Handler: s.routes()}
	go s.api.Serve(listener)
	return s, nil
}

func (s *sandbox) close() { s.api.Close() }

// awaitReady waits until the first process has asked for work.
func (s *sandbox) awaitReady(ctx context.Context) error {
	select {
	case err := <-s.ready:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run keeps a process in the slot until the function is stopped. It holds its thread:
// a child is told of its parent's death by the thread that started it.
func (s *sandbox) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pause := firstRestart
	for s.f.ctx.Err() == nil {
		err := s.runOnce()
		if s.bury(err) {
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
	cmd.SysProcAttr = diesWithParent()
	cmd.WaitDelay = time.Second
	s.mu.Lock()
	err := cmd.Start()
	if err == nil {
		s.process, s.asked, s.failure = cmd, false, nil
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return cmd.Wait()
}

// bury ends what the process left behind, and reports whether it ever asked for work.
func (s *sandbox) bury(err error) bool {
	s.mu.Lock()
	inv, asked, failure := s.current, s.asked, s.failure
	s.process, s.current, s.asked = nil, nil, false
	s.mu.Unlock()
	cause := s.causeOfDeath(err, failure)
	if inv != nil {
		inv.fail(cause)
	}
	if !asked {
		s.tellReady(cause)
		s.failOneWaiting(cause)
	}
	return asked
}

func (s *sandbox) causeOfDeath(err, failure error) error {
	switch {
	case s.f.ctx.Err() != nil:
		return ErrStopped
	case failure != nil:
		return failure
	case err == nil:
		err = errors.New("exit status 0")
	}
	if line := s.last.text(); line != "" {
		return fmt.Errorf("%w: %v; it printed last: %s", ErrExited, err, line)
	}
	return fmt.Errorf("%w: %v", ErrExited, err)
}

// failOneWaiting answers one caller for each process that could not start, so that
// nobody waits for a function that never will.
func (s *sandbox) failOneWaiting(cause error) {
	select {
	case inv := <-s.f.queue:
		inv.fail(cause)
	default:
	}
}

func (s *sandbox) tellReady(err error) {
	select {
	case s.ready <- err:
	default:
	}
}

// killNow sends SIGKILL when the slot is as wanted, in an invocation or alive at all.
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

// environment is what Lambda sets, and what the function was given.
func (s *sandbox) environment() []string {
	env := []string{
		"AWS_LAMBDA_RUNTIME_API=" + s.listener.Addr().String(),
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

// functionMemory is what the function is told it has, in MB.
const functionMemory = 512
