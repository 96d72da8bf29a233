package linear

import (
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// wire is a proxy between the functions and the database that cuts connections: before a request is
// forwarded, or after the database has carried it out and before its response is returned.
type wire struct {
	endpoint string
	server   *http.Server
	cutting  atomic.Bool

	mu   sync.Mutex
	draw *rand.Rand // guarded by mu

	requests, before, after, ambiguous atomic.Int64
}

// oneIn is how often a connection is cut: half of the cuts before the request, half after it.
const oneIn = 25

var errCut = errors.New("cut off")

func newWire(database string, draw *rand.Rand) (*wire, error) {
	target, err := url.Parse(database)
	if err != nil {
		return nil, fmt.Errorf("start the proxy for %s: %w", database, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the proxy for %s: %w", database, err)
	}
	w := &wire{endpoint: "http://" + listener.Addr().String(), draw: draw}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:      &http.Transport{MaxIdleConnsPerHost: 64},
		ModifyResponse: w.hear,
		// Close the connection without a response.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	w.server = &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.requests.Add(1)
		if w.cuts() {
			w.before.Add(1)
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(out, r)
	})}
	go w.server.Serve(listener)
	return w, nil
}

func (w *wire) close() { w.server.Close() }

func (w *wire) cuts() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cutting.Load() && w.draw.IntN(2*oneIn) == 0
}

// hear reads the response of the database, and may drop it.
func (w *wire) hear(answer *http.Response) error {
	if !w.cuts() {
		return nil
	}
	w.after.Add(1)
	if answer.StatusCode == http.StatusOK && writes(answer.Request) {
		w.ambiguous.Add(1)
	}
	return errCut
}

// writes reports whether a request changes items.
func writes(r *http.Request) bool {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch operation {
	case "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems":
		return true
	}
	return false
}

func (w *wire) print(out io.Writer) {
	fmt.Fprintf(out, "cuts      %d of %d requests to the database: %d before the request, "+
		"%d after it was carried out; %d of these were writes, stored and not confirmed\n",
		w.before.Load()+w.after.Load(), w.requests.Load(), w.before.Load(), w.after.Load(), w.ambiguous.Load())
}
