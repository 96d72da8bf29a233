package protocol

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
)

// Listener is a Server that listens on this machine, at a port of its own.
type Listener struct {
	*Server
	Endpoint string // such as http://127.0.0.1:41234

	http *http.Server
	done chan struct{} // closed by Stop
	once sync.Once
	work sync.WaitGroup
}

// tickEvery is how often expired items and old records are removed.
const tickEvery = time.Second

// Listen serves tables at a free port of the loopback address until Stop is called.
func Listen(s *Server) (*Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for requests to the table: %w", err)
	}
	out := &Listener{Server: s, Endpoint: "http://" + l.Addr().String(), http: ownmachine.Server(s),
		done: make(chan struct{})}
	out.work.Go(func() { _ = out.http.Serve(l) })
	out.work.Go(out.tick)
	return out, nil
}

func (l *Listener) tick() {
	every := time.NewTicker(tickEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			l.Tick()
		case <-l.done:
			return
		}
	}
}

// stopWithin is how long running requests can take when the listener stops.
const stopWithin = 2 * time.Second

// Stop ends the listener and waits for it. It can be called repeatedly.
func (l *Listener) Stop() {
	l.once.Do(func() {
		close(l.done)
		ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		if l.http.Shutdown(ctx) != nil {
			_ = l.http.Close()
		}
		l.work.Wait()
	})
}
