package stack

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// lateEnd is a body whose end is seen late, as by a busy proxy.
type lateEnd struct {
	io.ReadCloser
	left int64
}

func (b *lateEnd) Read(p []byte) (int, error) {
	if b.left == 0 {
		time.Sleep(50 * time.Millisecond)
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}

// A response may begin before the proxy has seen the end of a request that it passes on in parts. The server
// closed the request's body then, and the proxy cut the response.
func TestThrottle_PassesAResponseOnAsAWhole(t *testing.T) {
	t.Parallel()
	half := bytes.Repeat([]byte("x"), 1<<16)
	table := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_, _ = w.Write(half)
		_ = http.NewResponseController(w).Flush()
		time.Sleep(200 * time.Millisecond)
		_, _ = w.Write(half)
	}))
	defer table.Close()
	at, err := url.Parse(table.URL)
	if err != nil {
		t.Fatal(err)
	}
	passing := &throttle{table: newTableProxy(at)}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = &lateEnd{ReadCloser: r.Body, left: r.ContentLength}
		passing.ServeHTTP(w, r)
	}))
	defer front.Close()
	response, err := http.Post(front.URL, "application/json", strings.NewReader(strings.Repeat("y", 8<<10)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); err != nil || n != int64(2*len(half)) {
		t.Errorf("%d bytes, %v; want %d", n, err, 2*len(half))
	}
}
