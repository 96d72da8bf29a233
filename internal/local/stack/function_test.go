package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

func startFunction(t *testing.T, opts FunctionOptions) *Function {
	t.Helper()
	play := played("function")
	opts.Name = play.Name
	opts.Binary = play.Binary
	opts.Env = append(play.Env, opts.Env...)
	f, err := StartFunction(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	return f
}

func invoke(t *testing.T, f *Function, payload []byte) string {
	t.Helper()
	answer, err := f.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestInvoke_ReturnsTheResponse(t *testing.T) {
	f := startFunction(t, FunctionOptions{})
	for _, text := range []string{"one", "zwei ✓", strings.Repeat("x", 1<<20)} {
		want, _ := json.Marshal(text)
		if got := invoke(t, f, do("echo", text)); got != string(want) {
			t.Errorf("got %.40s, want %.40s", got, want)
		}
	}
}

func TestInvoke_SetsTheDeadline(t *testing.T) {
	f := startFunction(t, FunctionOptions{Timeout: 10 * time.Second})
	left, err := strconv.ParseFloat(invoke(t, f, do("deadline", "")), 64)
	if err != nil || left <= 5 || left > 10 {
		t.Errorf("the function has %v s left (%v), want a little less than 10", left, err)
	}
}

func TestInvoke_FunctionDoesNotInheritTheEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_THE_PARENT", "1")
	f := startFunction(t, FunctionOptions{Env: []string{"GIVEN=yes"}})
	env := invoke(t, f, do("env", ""))
	if strings.Contains(env, "SECRET_OF_THE_PARENT") || !strings.Contains(env, "GIVEN=yes") ||
		!strings.Contains(env, "AWS_LAMBDA_FUNCTION_NAME=test") {
		t.Errorf("the function's environment is %s", env)
	}
}

func TestInvoke_ReturnsTheErrorOfTheFunction(t *testing.T) {
	f := startFunction(t, FunctionOptions{})
	_, err := f.Invoke(t.Context(), do("fail", "no such bucket"))
	var reported *FunctionError
	if !errors.As(err, &reported) || reported.Message != "no such bucket" {
		t.Errorf("Invoke = %v, want the message of the function", err)
	}
	if got := invoke(t, f, do("echo", "still here")); got != `"still here"` {
		t.Errorf("after an error the function returned %s", got)
	}
}

func TestInvoke_EndedProcessFailsItsInvocationAndIsRestarted(t *testing.T) {
	for _, end := range []string{"exit", "panic"} {
		t.Run(end, func(t *testing.T) {
			f := startFunction(t, FunctionOptions{})
			before := invoke(t, f, do("pid", ""))
			if _, err := f.Invoke(t.Context(), do(end, "over")); err == nil {
				t.Fatal("the invocation of a process that ended returned a response")
			}
			if after := invoke(t, f, do("pid", "")); after == before {
				t.Errorf("process %s still responds", after)
			}
		})
	}
}

func TestInvoke_ErrorHasTheLastLineOfOutput(t *testing.T) {
	f := startFunction(t, FunctionOptions{})
	_, err := f.Invoke(t.Context(), do("exit", ""))
	if !errors.Is(err, ErrExited) || !strings.Contains(err.Error(), "exit status 3") ||
		!strings.Contains(err.Error(), "last words") {
		t.Errorf("Invoke = %v, want ErrExited with status and last line", err)
	}
}

func TestInvoke_TimeoutKillsTheProcess(t *testing.T) {
	f := startFunction(t, FunctionOptions{Timeout: 2 * time.Second})
	before := invoke(t, f, do("pid", ""))
	if _, err := f.Invoke(t.Context(), do("sleep", "")); !errors.Is(err, ErrTimedOut) {
		t.Errorf("Invoke = %v, want ErrTimedOut", err)
	}
	if after := invoke(t, f, do("pid", "")); after == before {
		t.Errorf("process %s runs after its timeout", after)
	}
}

func TestInvoke_ReturnsIfItsContextEnds(t *testing.T) {
	f := startFunction(t, FunctionOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := f.Invoke(ctx, do("sleep", "")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Invoke = %v, want the context's error", err)
	}
}

func TestInvoke_ManyCallersShareTheProcesses(t *testing.T) {
	f := startFunction(t, FunctionOptions{Concurrency: 3})
	var group errgroup.Group
	var processes sync.Map // by their ids
	for i := range 200 {
		group.Go(func() error {
			pid, err := f.Invoke(t.Context(), do("pid", ""))
			if err != nil {
				return err
			}
			processes.Store(string(pid), true)
			text := fmt.Sprint("call ", i)
			got, err := f.Invoke(t.Context(), do("echo", text))
			if err == nil && string(got) != strconv.Quote(text) {
				err = fmt.Errorf("call %d got the response %s", i, got)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	n := 0
	processes.Range(func(any, any) bool { n++; return true })
	if n < 1 || n > 3 || len(f.sandboxes) != 3 {
		t.Errorf("%d processes responded, of %d; want at most 3", n, len(f.sandboxes))
	}
}

func TestStartFunction_ErrorHasTheOutput(t *testing.T) {
	var log bytes.Buffer
	broken := played("broken")
	broken.Log = &log
	_, err := StartFunction(t.Context(), broken)
	if !errors.Is(err, ErrExited) || !strings.Contains(err.Error(), "cannot start: no table") {
		t.Errorf("StartFunction = %v, want the output of the process", err)
	}
	if !strings.Contains(log.String(), "cannot start: no table\n") {
		t.Errorf("the log is %q", log.String())
	}
	if _, err := StartFunction(t.Context(),
		FunctionOptions{Name: "test", Binary: os.Args[0] + ".gone"}); err == nil {
		t.Error("a missing binary was started")
	}
}

func TestKill_EndsAProcessDuringItsInvocation(t *testing.T) {
	f := startFunction(t, FunctionOptions{Concurrency: 2})
	failed := make(chan error, 1)
	go func() {
		_, err := f.Invoke(t.Context(), do("sleep", ""))
		failed <- err
	}()
	for busy := false; !busy; time.Sleep(time.Millisecond) {
		for _, s := range f.sandboxes {
			s.mu.Lock()
			busy = busy || s.current != nil
			s.mu.Unlock()
		}
	}
	if death, ok := f.Kill(); !ok || death.At != Running {
		t.Errorf("Kill = %v, %v; want a process killed while running", death, ok)
	}
	if err := <-failed; !errors.Is(err, ErrExited) {
		t.Errorf("the killed invocation returned %v, want ErrExited", err)
	}
}

func TestKillNext_RespondingKillsBetweenTheWorkAndItsAcknowledgement(t *testing.T) {
	var reported []Death
	f := startFunction(t, FunctionOptions{OnKill: func(d Death) { reported = append(reported, d) }})
	work := filepath.Join(t.TempDir(), "work")
	f.KillNext(Responding)
	if _, err := f.Invoke(t.Context(), do("touch", work)); !errors.Is(err, ErrExited) {
		t.Errorf("Invoke = %v, want ErrExited: the acknowledgement is lost", err)
	}
	if _, err := os.Stat(work); err != nil {
		t.Errorf("the work was not done before the kill: %v", err)
	}
	invoke(t, f, do("echo", "again"))
	if deaths := f.Deaths(); len(deaths) != 1 || deaths[0].At != Responding || len(reported) != 1 ||
		reported[0] != deaths[0] {
		t.Errorf("deaths %v, OnKill %v; want one while responding", deaths, reported)
	}
}

func TestKillNext_RunningKillsBeforeTheResponse(t *testing.T) {
	f := startFunction(t, FunctionOptions{})
	f.KillNext(Running)
	if _, err := f.Invoke(t.Context(), do("sleep", "")); !errors.Is(err, ErrExited) {
		t.Errorf("Invoke = %v, want ErrExited", err)
	}
	if deaths := f.Deaths(); len(deaths) != 1 || deaths[0].At != Running {
		t.Errorf("deaths %v, want one while running", deaths)
	}
}

func TestStop_EndsRunningInvocations(t *testing.T) {
	f := startFunction(t, FunctionOptions{})
	pid := invoke(t, f, do("pid", ""))
	failed := make(chan error, 1)
	go func() {
		_, err := f.Invoke(t.Context(), do("sleep", ""))
		failed <- err
	}()
	f.Stop()
	if err := <-failed; !errors.Is(err, ErrStopped) {
		t.Errorf("the running invocation returned %v, want ErrStopped", err)
	}
	if process, err := strconv.Atoi(pid); err != nil || alive(process) {
		t.Errorf("process %s runs after Stop (%v)", pid, err)
	}
	if _, err := f.Invoke(t.Context(), do("echo", "")); !errors.Is(err, ErrStopped) {
		t.Errorf("Invoke after Stop = %v, want ErrStopped", err)
	}
}

// A page of a website sends a GET without an origin, and could take an invocation and guess the next id.
func TestRuntimeAPI_AWebPageCannotTakeAnInvocation(t *testing.T) {
	s, err := newSandbox(&Function{ctx: t.Context(), queue: make(chan *invocation)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	const next = "/2018-06-01/runtime/invocation/next"
	at := "http://" + s.listener.Addr().String()
	for _, c := range []struct {
		url, host, origin string
		want              int
	}{
		{at + next, "", "", http.StatusNotFound},
		{at + next, "evil.example", "https://evil.example", http.StatusMisdirectedRequest},
		{at + "/" + s.token + next, "evil.example", "", http.StatusMisdirectedRequest},
		{at + "/" + s.token + next, "", "https://evil.example", http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Origin", c.origin)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s as host %q, origin %q: %d, want %d", c.url, c.host, c.origin, res.StatusCode, c.want)
		}
	}
	a, b := newInvocation(nil).id, newInvocation(nil).id
	if len(a) != 36 || a[:8] == b[:8] || a[24:] == b[24:] {
		t.Errorf("ids %s and %s can be guessed", a, b)
	}
}
