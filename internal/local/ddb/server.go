// Package ddblocal runs DynamoDB Local of AWS as a child process, for local stacks and tests: the
// same expressions, transactions and table streams as the service, in memory. The jar is in a
// pinned npm package and needs Java. The child ends with the program that started it.
package ddblocal

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Options describe the server. The zero value uses the defaults.
type Options struct {
	// Endpoint is a running DynamoDB, such as http://localhost:8000. If it is set, no server is
	// started or stopped.
	Endpoint string
	// path of DynamoDBLocal.jar; "" searches node_modules in the working directory and its parents
	Jar     string
	Java    string // the java command; "" means java in PATH
	HeapMB  int    // maximum heap size; 0 means 1024
	DataDir string // existing directory of the tables; "" keeps them in memory
}

// FromEnv returns the options in the environment: TIDEMARK_ENDPOINT for a running server,
// TIDEMARK_DYNAMODB_JAR for the path of the jar.
func FromEnv() Options {
	return Options{Endpoint: os.Getenv("TIDEMARK_ENDPOINT"), Jar: os.Getenv("TIDEMARK_DYNAMODB_JAR")}
}

// Server is a running DynamoDB. Its methods are safe for concurrent use.
type Server struct {
	Endpoint string // such as http://127.0.0.1:41234

	cmd  *exec.Cmd     // nil if Options.Endpoint was set
	log  tail          // its last output
	done chan struct{} // closed when the child has ended
}

// PID returns the process of a server that was started, 0 of one that ran already.
func (s *Server) PID() int {
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

const (
	defaultHeapMB = 1024
	readyWithin   = time.Minute // about one second on a quiet machine
	pollEvery     = 20 * time.Millisecond
	portAttempts  = 5
)

// errPortTaken reports that another process took the port before Java opened it.
var errPortTaken = errors.New("port taken")

// Start starts a server and returns when it responds. ctx limits only the start; call Stop to end the server.
// The error is ErrMissing, with what to install, if the jar or a suitable Java is missing.
func Start(ctx context.Context, o Options) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	if o.Endpoint != "" {
		s := &Server{Endpoint: strings.TrimRight(o.Endpoint, "/"), done: make(chan struct{})}
		return s, s.ready(ctx)
	}
	o, err := o.resolve(ctx)
	if err != nil {
		return nil, err
	}
	for range portAttempts {
		var s *Server
		if s, err = launch(ctx, o); !errors.Is(err, errPortTaken) {
			return s, err
		}
	}
	return nil, err
}

// Stop ends the server and waits for it. It can be called repeatedly.
func (s *Server) Stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // fails only if it has already ended
		<-s.done
	}
}

// Done returns a channel that is closed when the server has ended. It is never closed for a server
// that Start did not start.
func (s *Server) Done() <-chan struct{} { return s.done }

// Log returns the last output of the server.
func (s *Server) Log() string { return s.log.String() }

func launch(ctx context.Context, o Options) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	launcher, err := os.MkdirTemp("", "tidemark-dynamodb-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(launcher) // Java has read it when the server responds
	if err := os.WriteFile(filepath.Join(launcher, "Loopback.class"), loopback, 0o600); err != nil {
		return nil, err
	}
	s := &Server{Endpoint: "http://127.0.0.1:" + strconv.Itoa(port), done: make(chan struct{})}
	s.cmd = exec.Command(o.Java, o.args(launcher, port)...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.SysProcAttr = endWithParent()
	if err := s.run(); err != nil {
		return nil, fmt.Errorf("start DynamoDB Local: %w", err)
	}
	if err := s.ready(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// loopback is launcher/Loopback.java, compiled by javac --release 17 -g:none.
//
//go:embed launcher/Loopback.class
var loopback []byte

func (o Options) args(launcher string, port int) []string {
	all := []string{
		"-Djava.library.path=" + filepath.Join(filepath.Dir(o.Jar), "DynamoDBLocal_lib"),
		"-Xmx" + strconv.Itoa(o.HeapMB) + "m",
		"-cp", launcher + string(os.PathListSeparator) + o.Jar, "Loopback",
		"-sharedDb", "-disableTelemetry",
		"-port", strconv.Itoa(port),
	}
	if o.DataDir != "" {
		return append(all, "-dbPath", o.DataDir)
	}
	return append(all, "-inMemory")
}

// run starts the child from a thread that runs as long as the child: Linux sends the parent-death
// signal when the thread that started it ends.
func (s *Server) run() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err == nil {
			_ = s.cmd.Wait() // the log has the reason
			close(s.done)
		}
	}()
	return <-started
}

// ready waits until the server responds, has ended, or ctx ends.
func (s *Server) ready(ctx context.Context) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := s.ping(ctx)
		select {
		case <-s.done:
			return s.died()
		default:
		}
		if err == nil {
			return nil
		}
		select {
		case <-s.done:
			return s.died()
		case <-ctx.Done():
			return fmt.Errorf("no DynamoDB responds at %s: %w; last output:\n%s", s.Endpoint, err, s.Log())
		case <-tick.C:
		}
	}
}

func (s *Server) died() error {
	if log := s.Log(); strings.Contains(log, "BindException") || strings.Contains(log, "Failed to bind") {
		return fmt.Errorf("start DynamoDB Local at %s: %w", s.Endpoint, errPortTaken)
	}
	return fmt.Errorf("DynamoDB Local ended before it responded: %s; last output:\n%s", s.cmd.ProcessState,
		s.Log())
}

// ping sends a request without credentials. DynamoDB rejects it with a request id.
func (s *Server) ping(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Endpoint, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.Header.Get("x-amzn-RequestId") == "" {
		return fmt.Errorf("the server at %s is not DynamoDB (HTTP status %s)", s.Endpoint, resp.Status)
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
