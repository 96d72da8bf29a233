package stack

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// invocation is one payload and its result.
type invocation struct {
	id      string
	payload []byte
	killAt  Moment // when to kill its process; Idle means never
	timer   *time.Timer
	done    chan result // capacity 1, so that sending does not block
}

type result struct {
	body []byte
	err  error
}

// newInvocation returns an invocation with a random id in the form of Lambda's request ids: who can guess an
// id can respond in place of the function.
func newInvocation(payload []byte) *invocation {
	var id [16]byte
	rand.Read(id[:])
	return &invocation{
		id:      fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]),
		payload: payload,
		done:    make(chan result, 1),
	}
}

func (inv *invocation) finish(a result) {
	if inv.timer != nil {
		inv.timer.Stop()
	}
	select {
	case inv.done <- a:
	default: // its timeout has already returned a result
	}
}

func (inv *invocation) fail(err error) { inv.finish(result{err: err}) }

// routes returns the Runtime API of one sandbox.
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
	s.requested = true
	left := s.current
	s.current = nil
	s.mu.Unlock()
	if left != nil { // it was sent to a process that had just ended
		left.fail(ErrExited)
	}
	s.signalReady(nil)
	select {
	case inv := <-s.f.queue:
		s.send(w, inv)
	case <-r.Context().Done():
	case <-s.f.ctx.Done():
		panic(http.ErrAbortHandler) // close the connection: an empty response would be an invocation
	}
}

// send sends the invocation to the process and starts its timeout.
func (s *sandbox) send(w http.ResponseWriter, inv *invocation) {
	deadline := time.Now().Add(s.f.opts.Timeout)
	inv.killAt = s.f.nextKill()
	s.mu.Lock()
	inv.timer = time.AfterFunc(s.f.opts.Timeout, func() { s.timeOut(inv) })
	s.current = inv
	s.mu.Unlock()
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
	h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(deadline.UnixMilli(), 10))
	h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:local:000000000000:function:"+s.f.opts.Name)
	n := inv.id[24:] // 12 digits
	h.Set("Lambda-Runtime-Trace-Id",
		fmt.Sprintf("Root=1-%08x-%s%s;Parent=0000%s;Sampled=1", time.Now().Unix(), n, n, n))
	h.Set("Content-Length", strconv.Itoa(len(inv.payload)))
	w.Write(inv.payload)
	if inv.killAt == Running {
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

// killFor kills the process of inv and records it.
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
		return // the process ended while it responded, which fails the invocation
	}
	if inv := s.running(r.PathValue("id")); inv != nil && inv.killAt == Responding {
		s.killFor(inv, Responding)
		panic(http.ErrAbortHandler) // the response is lost with the process
	}
	if failed := trailedError(r); failed != nil {
		s.finish(w, r, result{err: failed})
		return
	}
	s.finish(w, r, result{body: body})
}

func (s *sandbox) serveError(w http.ResponseWriter, r *http.Request) {
	s.finish(w, r, result{err: readError(r.Body)})
}

// serveInitError records the error of a process that fails at its start.
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

// finish ends the invocation that the process names, if it is the current one.
func (s *sandbox) finish(w http.ResponseWriter, r *http.Request, a result) {
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
		return &FunctionError{Type: "Unknown", Message: "the function returned an error that cannot be decoded"}
	}
	return &e
}

// trailedError returns the error of a function that failed while it streamed its response.
func trailedError(r *http.Request) error {
	kind := r.Trailer.Get("Lambda-Runtime-Function-Error-Type")
	if kind == "" {
		return nil
	}
	text, _ := base64.StdEncoding.DecodeString(r.Trailer.Get("Lambda-Runtime-Function-Error-Body"))
	return &FunctionError{Type: kind, Message: string(text)}
}
