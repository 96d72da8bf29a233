package stack

import (
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/clock"
)

// throttledFor is longer than the SDK's own attempts take, so that aggregate has to repeat requests itself.
const throttledFor = 5 * time.Second

// throttle is an endpoint of the table that can refuse requests, as a table with no capacity left does.
type throttle struct {
	table   http.Handler
	until   atomic.Int64 // requests before it are refused; Unix milliseconds
	refused atomic.Int64
}

// begin refuses the requests of the next seconds.
func (t *throttle) begin() { t.until.Store(time.Now().Add(throttledFor).UnixMilli()) }

func (t *throttle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if time.Now().UnixMilli() >= t.until.Load() {
		// Otherwise the server closes the body when the response begins. A proxy that still looks for the end
		// of a request of more than 4 KB then cuts the response.
		_ = http.NewResponseController(w).EnableFullDuplex()
		t.table.ServeHTTP(w, r)
		return
	}
	t.refused.Add(1)
	w.WriteHeader(http.StatusBadRequest)
	io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",`+
		`"message":"throttled for a while"}`)
}

// startThrottle starts the endpoint through which aggregate reaches the table.
func (s *Stack) startThrottle() (err error) {
	table, err := url.Parse(s.reached(aggregate))
	if err != nil {
		return err
	}
	s.throttle.table = newTableProxy(table)
	s.throttled, err = StartFront("", "", clock.Clock{}, nil, &s.throttle)
	return err
}

// newTableProxy returns a handler that passes requests on to the table.
func newTableProxy(table *url.URL) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(table)
	// Requests of one invocation are concurrent. A cut connection stays one. What a killed function has not read
	// is no error.
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	return proxy
}
