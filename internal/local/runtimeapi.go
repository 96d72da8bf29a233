package local

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// invocation is one payload on its way through a function.
type invocation struct {
	id      string
	payload []byte
	aim     Moment // when its process is to be killed; Idle means not at all
	timer   *time.Timer
	done    chan answer // takes one, never blocks
}

type answer struct {
	body []byte
	err  error
}

var invocations atomic.Uint64

// newInvocation numbers its id, in the form of Lambda's request ids.
func newInvocation(payload []byte) *invocation {
	n := invocations.Add(1)
	return &invocation{
		id:      fmt.Sprintf("00000000-0000-4000-8000-%012x", n),
		payload: payload,
		done:    make(chan answer, 1),
	}
}

func (inv *invocation) finish(a answer) {
	if inv.timer != nil {
		inv.timer.Stop()
	}
	select {
	case inv.done <- a:
	default: // answered already, by its timeout
	}
}

func (inv *invocation) fail(err error) { inv.finish(answer{err: err}) }

// routes is the Runtime API of one sandbox.
func (s *sandbox) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", s.serveNext)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", s.serveResponse)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", s.serveError)
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", s.serveInitError)
	return mux
}

func (s *sandbox) serveNext(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = true
	left := s.current
	s.current = nil
	s.mu.Unlock()
	if left != nil { // it was handed to a process that had just died
		left.fail(ErrExited)
	}
	s.tellReady(nil)
	select {
	case inv := <-s.f.queue:
		s.handOver(w, inv)
	case <-r.Context().Done():
	case <-s.f.ctx.Done():
		panic(http.ErrAbortHandler) // no answer at all: an empty one would be an invocation
	}
}

// handOver gives the invocation to the process and starts its clock.
func (s *sandbox) handOver(w http.ResponseWriter, inv *invocation) {
	deadline := time.Now().Add(s.f.opts.Timeout)
	inv.aim = s.f.takeAim()
	s.mu.Lock()
	inv.timer = time.AfterFunc(s.f.opts.Timeout, func() { s.timeOut(inv) })
	s.current = inv
	s.mu.Unlock()
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
	h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(deadline.UnixMilli(), 10))
	h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:local:000000000000:function:"+s.f.opts.Name)
	h.Set("Content-Length", strconv.Itoa(len(inv.payload)))
	w.Write(inv.payload)
	if inv.aim == Running {
		w.(http.Flusher).Flush()
		s.killFor(inv, Running)
	}
}

func (s *sandbox) timeOut(inv *invocation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != inv {
		return
	}
	s.current = nil
	inv.fail(fmt.Errorf("%w after %s", ErrTimedOut, s.f.opts.Timeout))
	if s.process != nil {
		s.process.Process.Kill()
	}
}

// killFor kills the process of inv at its moment, and counts it.
func (s *sandbox) killFor(inv *invocation, at Moment) {
	s.mu.Lock()
	d, killed := Death{At: at}, false
	if s.current == inv && s.process != nil {
		d.PID, killed = s.process.Process.Pid, s.process.Process.Kill() == nil
	}
	s.mu.Unlock()
	if killed {
		s.f.killed(d)
	}
}

func (s *sandbox) serveResponse(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the process died while it answered; its end is the answer
	}
	if inv := s.running(r.PathValue("id")); inv != nil && inv.aim == Answering {
		s.killFor(inv, Answering)
		panic(http.ErrAbortHandler) // the answer is lost with the process
	}
	if failed := trailedError(r); failed != nil {
		s.settle(w, r, answer{err: failed})
		return
	}
	s.settle(w, r, answer{body: body})
}

func (s *sandbox) serveError(w http.ResponseWriter, r *http.Request) {
	s.settle(w, r, answer{err: readError(r.Body)})
}

// serveInitError keeps what the process says of its own start: it ends after that.
func (s *sandbox) serveInitError(w http.ResponseWriter, r *http.Request) {
	err := readError(r.Body)
	s.mu.Lock()
	s.failure = err
	s.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
}

func (s *sandbox) running(id string) *invocation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.current.id != id {
		return nil
	}
	return s.current
}

// settle ends the invocation the process names, when it is the one it was given.
func (s *sandbox) settle(w http.ResponseWriter, r *http.Request, a answer) {
	inv := s.running(r.PathValue("id"))
	if inv == nil {
		http.Error(w, `{"errorType":"InvalidRequestID","errorMessage":"no such invocation"}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.current = nil
	s.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
	inv.finish(a)
}

func readError(body io.Reader) error {
	var e FunctionError
	if err := json.NewDecoder(io.LimitReader(body, 1<<20)).Decode(&e); err != nil {
		return &FunctionError{Type: "Unknown", Message: "the function failed without saying how"}
	}
	return &e
}

// trailedError is the error of a function that failed while it streamed its answer.
func trailedError(r *http.Request) error {
	kind := r.Trailer.Get("Lambda-Runtime-Function-Error-Type")
	if kind == "" {
		return nil
	}
	text, _ := base64.StdEncoding.DecodeString(r.Trailer.Get("Lambda-Runtime-Function-Error-Body"))
	return &FunctionError{Type: kind, Message: string(text)}
}
