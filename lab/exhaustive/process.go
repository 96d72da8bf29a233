package exhaustive

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tidemark-db/tidemark/pkg/memory"
)

// requestKind is what a process waits for.
type requestKind int

const (
	reads requestKind = iota // a read of the table
	writes
	clock // the time
	nonce // a fresh revision
	begin // a reader that has its low watermark begins
	idle  // an aggregate function is ready for a batch
	ended // the process has ended
)

// request is what a process asks for. Requests with equal text are one request.
type request struct {
	kind  requestKind
	text  string
	do    func(*memory.Table) *response // of a read or write
	row   string                        // that a write of a row writes
	phase phase
	value any // of idle and ended
}

// phase is where in its code a process asks.
type phase int

const (
	anywhere  phase = iota
	attempt         // in an attempt to recompute a bucket
	beginning       // at the beginning of one
)

// response is what a process gets. Responses with equal text are one response.
type response struct {
	text  string
	value any
	err   error
	revs  uint64 // the revisions in it, as a set of their numbers
	wrote bool   // the request changed the table
	token string // of a stored transaction
}

// local is the state of a process: its code is a function of what it has read, so the
// state is the list of the responses so far. The real code runs once for each local.
type local struct {
	id     int32
	parent *local
	last   *response
	name   string
	body   func(*driver)
	revs   uint64
	depth  int

	once sync.Once
	next *request

	forgot    sync.Once
	remembers *local // see forget

	mu   sync.Mutex // guards then
	then map[*response]*local
}

// driver runs the body of a process until it asks for something.
type driver struct {
	ctx     context.Context
	asks    chan *request
	answers chan *response
	gone    atomic.Bool
	replays int // responses that are known
}

var errAbandoned = errors.New("the process is not continued")

// ask asks for something and waits for the response.
func (d *driver) ask(r *request) *response {
	if d.gone.Load() {
		return &response{err: errAbandoned}
	}
	if d.replays--; d.replays < 0 {
		r.phase = callerPhase()
	}
	d.asks <- r
	return <-d.answers
}

// processes makes locals. It is safe for concurrent use.
type processes struct {
	count     atomic.Int32
	mu        sync.Mutex // guards what follows
	roots     map[string]*local
	forgetful map[string]*local // by what they remember
	requests  map[string]*request
	responses map[string]*response
}

func newProcesses() *processes {
	return &processes{roots: map[string]*local{}, forgetful: map[string]*local{},
		requests: map[string]*request{}, responses: map[string]*response{}}
}

// root returns the first local of a named process.
func (p *processes) root(name string, body func(*driver)) *local {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.roots[name]
	if l == nil {
		l = &local{id: p.count.Add(1), name: name, body: body, then: map[*response]*local{}}
		p.roots[name] = l
	}
	return l
}

// step returns the local after a response.
func (p *processes) step(l *local, r *response) *local {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.then[r]
	if n == nil {
		n = &local{id: p.count.Add(1), parent: l, last: r, name: l.name, body: l.body, revs: l.revs | r.revs,
			depth: l.depth + 1, then: map[*response]*local{}}
		l.then[r] = n
	}
	return n
}

// next returns what the process asks for. It runs the code of the process from its start,
// with the responses so far. It panics if the code asks for something else than before: a response would
// then be of another request.
func (p *processes) next(l *local) *request {
	l.once.Do(func() {
		history := make([]*local, l.depth)
		for at := l; at.parent != nil; at = at.parent {
			history[at.depth-1] = at
		}
		ctx, cancel := context.WithCancel(context.Background())
		d := &driver{ctx: ctx, asks: make(chan *request), answers: make(chan *response), replays: len(history)}
		go l.body(d)
		for _, h := range history {
			asked, known := <-d.asks, p.next(h.parent)
			if asked.kind != known.kind || asked.text != known.text {
				panic(fmt.Sprintf("%s asks for %q where it asked for %q: its code is no function of its responses",
					l.name, asked.text, known.text))
			}
			d.answers <- h.last
		}
		l.next = p.request(<-d.asks)
		d.gone.Store(true)
		cancel()
		d.answers <- &response{err: errAbandoned}
	})
	return l.next
}

func (p *processes) request(r *request) *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := fmt.Sprint(r.kind, r.phase, r.text)
	if known := p.requests[key]; known != nil {
		return known
	}
	p.requests[key] = r
	return r
}

func (p *processes) response(r *response) *response {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.responses[r.text]; known != nil {
		return known
	}
	p.responses[r.text] = r
	return r
}
