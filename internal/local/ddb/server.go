// Package ddblocal runs Amazon's DynamoDB Local as a child process: the same
// expressions, transactions and table streams as the service, in memory, for the
// laptop and for tests. The jar comes with the pinned npm package; only Java is
// needed to run it. A child never outlives the program that started it.
package ddblocal

import (
	"context"
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

// Options say what to run. The zero value searches for everything.
type Options struct {
	// Endpoint is a DynamoDB that runs already, as http://localhost:8000; where set,
	// nothing is started and nothing is stopped.
	Endpoint string
	Jar      string // path of DynamoDBLocal.jar; "" searches node_modules from the working directory upwards
	Java     string // the java command; "" means java, found by PATH
	HeapMB   int    // the most memory its heap may take; 0 means 1024
}

// FromEnv is what the environment asks for: TIDEMARK_ENDPOINT for a server that
// runs already, TIDEMARK_DYNAMODB_JAR for a jar elsewhere.
func FromEnv() Options {
	return Options{Endpoint: os.Getenv("TIDEMARK_ENDPOINT"), Jar: os.Getenv("TIDEMARK_DYNAMODB_JAR")}
}

// Server is a DynamoDB that answers requests. Its methods may be called concurrently.
type Server struct {
	Endpoint string // as http://127.0.0.1:41234

	cmd  *exec.Cmd     // nil where the server is not ours
	log  tail          // what it printed last
	done chan struct{} // closed when the child has ended
}

const (
	defaultHeapMB = 1024
	readyWithin   = time.Minute // about one second on a quiet machine
	pollEvery     = 20 * time.Millisecond
	portAttempts  = 5
)

// errPortTaken says that somebody took the port between our look and Java's.
var errPortTaken = errors.New("port taken")

// Start runs a server and returns when it answers. The context bounds the start
// only; call Stop to end the server. The error is ErrMissing where the jar or a
// Java that can run it is not there, and says what to install.
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

// Stop ends the server and waits until it is gone. It may be called again.
func (s *Server) Stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // the only failure is that it has ended already
		<-s.done
	}
}

// Done is closed when the server has ended, by Stop or by itself; never for a
// server that ran already.
func (s *Server) Done() <-chan struct{} { return s.done }

// Log is the last of what the server printed.
func (s *Server) Log() string { return s.log.String() }

func launch(ctx context.Context, o Options) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{Endpoint: "http://127.0.0.1:" + strconv.Itoa(port), done: make(chan struct{})}
	s.cmd = exec.Command(o.Java, o.args(port)...)
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

func (o Options) args(port int) []string {
	return []string{
		"-Djava.library.path=" + filepath.Join(filepath.Dir(o.Jar), "DynamoDBLocal_lib"),
		"-Xmx" + strconv.Itoa(o.HeapMB) + "m",
		"-jar", o.Jar,
		"-inMemory", "-sharedDb", "-disableTelemetry",
		"-port", strconv.Itoa(port),
	}
}

// run starts the child from a thread of its own that lives as long as the child:
// Linux sends the parent-death signal when the starting thread ends, not the process.
func (s *Server) run() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err == nil {
			_ = s.cmd.Wait() // killed by Stop, or its last words are in the log
			close(s.done)
		}
	}()
	return <-started
}

// ready waits until the server answers a request, has ended, or ctx is over.
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
			return fmt.Errorf("no DynamoDB answers at %s: %w; last words:\n%s", s.Endpoint, err, s.Log())
		case <-tick.C:
		}
	}
}

func (s *Server) died() error {
	if log := s.Log(); strings.Contains(log, "BindException") || strings.Contains(log, "Failed to bind") {
		return fmt.Errorf("start DynamoDB Local at %s: %w", s.Endpoint, errPortTaken)
	}
	return fmt.Errorf("DynamoDB Local ended before it answered: %s; it said:\n%s", s.cmd.ProcessState, s.Log())
}

// ping asks without credentials: every DynamoDB refuses that, with a request id.
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
		return fmt.Errorf("what listens at %s is no DynamoDB (HTTP status %s)", s.Endpoint, resp.Status)
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
