// Package protocol serves tables of package engine by the protocol of DynamoDB and of DynamoDB Streams. What
// it does not know it refuses by its name, so that a program never takes a guess for the service's response.
package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// streamRetention is how long DynamoDB keeps a record in a table's stream.
const streamRetention = 24 * time.Hour

// Server is an http.Handler that serves tables. Create one with New.
type Server struct {
	now    func() model.Time
	region string
	disk   *disk // nil: tables are in memory only
	watch  func(table string, c *engine.Commit)
	faults *faulty // nil: none

	mu     sync.RWMutex
	tables map[string]*table // by name; guarded by mu

	requests atomic.Uint64 // so far, for their ids
}

// table is one served table.
type table struct {
	*engine.Table
	name      string
	created   model.Time
	protected atomic.Bool // from deletion

	limits *limits // nil: none

	mu      sync.Mutex
	streams []string // labels of all its streams, the latest last; guarded by mu
}

// New returns a server without tables. now is the clock of everything that depends on time.
func New(region string, now func() model.Time) *Server {
	return &Server{now: now, region: region, tables: map[string]*table{}}
}

// Watch calls do with each commit of the tables that are created from now on, which are in memory only. do
// must not call the server. Call Watch before any request.
func (s *Server) Watch(do func(table string, c *engine.Commit)) { s.watch = do }

// Table returns a table by its name; nil if there is none.
func (s *Server) Table(name string) *engine.Table {
	t, err := s.find(name)
	if err != nil {
		return nil
	}
	return t.Table
}

// watched is the engine.Log of a table whose commits are watched.
type watched struct {
	table string
	do    func(table string, c *engine.Commit)
}

var _ engine.Log = watched{}

// Append passes a commit on.
func (w watched) Append(c *engine.Commit) engine.Pending {
	w.do(w.table, c)
	return nil
}

// Last has nothing to wait for.
func (w watched) Last() engine.Pending { return nil }

// operation carries out one request.
type operation func(s *Server, body []byte) (any, error)

// handle returns the operation of a function whose request is decoded strictly: a parameter that it does not
// have is refused by name.
func handle[T any](do func(s *Server, in *T) (any, error)) operation {
	return func(s *Server, body []byte) (any, error) {
		in := new(T)
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if err := d.Decode(in); err != nil {
			return nil, malformed(err)
		}
		return do(s, in)
	}
}

// malformed returns the response to a request that cannot be decoded.
func malformed(err error) error {
	var known *failure
	if errors.As(err, &known) {
		return err
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return unknown("the parameter " + strings.Trim(name, `"`))
	}
	return &failure{serialization, err.Error()}
}

// prefixes begin the targets of both protocols.
var prefixes = []string{"DynamoDB_20120810.", "DynamoDBStreams_20120810."}

// operations are all that the server knows, by name.
var operations = map[string]operation{
	"CreateTable":        handle(createTable),
	"DeleteTable":        handle(deleteTable),
	"DescribeTable":      handle(describeTable),
	"ListTables":         handle(listTables),
	"UpdateTable":        handle(updateTable),
	"DescribeTimeToLive": handle(describeTimeToLive),
	"UpdateTimeToLive":   handle(updateTimeToLive),
	"GetItem":            handle(getItem),
	"PutItem":            handle(putItem),
	"UpdateItem":         handle(updateItem),
	"DeleteItem":         handle(deleteItem),
	"Query":              handle(query),
	"Scan":               handle(scan),
	"BatchGetItem":       handle(batchGetItem),
	"BatchWriteItem":     handle(batchWriteItem),
	"TransactWriteItems": handle(transactWriteItems),
	"DescribeStream":     handle(describeStream),
	"ListStreams":        handle(listStreams),
	"GetShardIterator":   handle(getShardIterator),
	"GetRecords":         handle(getRecords),
}

// Operations returns the names of all operations that the server knows, sorted.
func Operations() []string { return slices.Sorted(maps.Keys(operations)) }

// maxBody is the largest request of DynamoDB.
const maxBody = 16 << 20

// ServeHTTP responds to one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := fmt.Sprintf("%032X", s.requests.Add(1))
	w.Header().Set("X-Amzn-Requestid", id)
	if r.Method != http.MethodPost {
		fmt.Fprintln(w, "healthy: tidemark")
		return
	}
	response, status, err := s.respond(r)
	if err != nil {
		panic(http.ErrAbortHandler) // cuts the connection
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(response)), 10))
	w.Header().Set("Content-Length", strconv.Itoa(len(response)))
	w.WriteHeader(status)
	_, _ = w.Write(response)
}

// respond carries out a request. The error is errNoResponse.
func (s *Server) respond(r *http.Request) (response []byte, status int, err error) {
	out, err := s.run(r)
	status = http.StatusOK
	switch {
	case errors.Is(err, errNoResponse):
		return nil, 0, err
	case err != nil:
		out, status = body(err)
	}
	if response, err = encode(out); err != nil {
		slog.Error("response of the table not encoded", "target", r.Header.Get("X-Amz-Target"), "error", err)
		return nil, http.StatusInternalServerError, nil
	}
	return response, status, nil
}

// encoded is a response that encodes itself.
type encoded interface{ appendTo(dst []byte) []byte }

func encode(out any) ([]byte, error) {
	if fast, ok := out.(encoded); ok {
		return fast.appendTo(nil), nil
	}
	return json.Marshal(out)
}

func (s *Server) run(r *http.Request) (any, error) {
	target := r.Header.Get("X-Amz-Target")
	_, name, _ := strings.Cut(target, ".")
	do, known := operations[name]
	if !known || !slices.Contains(prefixes, strings.TrimSuffix(target, name)) {
		return nil, &failure{unknownOperation,
			fmt.Sprintf("the operation %q is not known to Tidemark's engine: "+
				"run `tidemark dev --engine dynamodb-local` for all of DynamoDB", target)}
	}
	if r.Header.Get("Authorization") == "" {
		return nil, &failure{"com.amazon.coral.service#MissingAuthenticationTokenException",
			"Request must contain either a valid (registered) AWS access key ID or X.509 certificate."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		return nil, &failure{serialization, "read the request: " + err.Error()}
	}
	return s.faults.request(name, func() (any, error) { return do(s, body) })
}

// find returns a table by its name or ARN.
func (s *Server) find(name string) (*table, error) {
	if _, after, ok := strings.Cut(name, ":table/"); ok {
		name, _, _ = strings.Cut(after, "/")
	}
	if err := checkTableName(name, 1); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t := s.tables[name]; t != nil {
		return t, nil
	}
	return nil, &failure{notFound, "Requested resource not found"}
}

// each calls do with every table.
func (s *Server) each(do func(*table)) {
	s.mu.RLock()
	all := slices.Collect(maps.Values(s.tables))
	s.mu.RUnlock()
	for _, t := range all {
		do(t)
	}
}

// Tick does what DynamoDB does in the background: it removes expired items and old records of the streams.
func (s *Server) Tick() {
	s.each(func(t *table) {
		t.Expire(s.now(), nil)
		t.Trim()
	})
}

// Split closes the newest open shard of a table's stream and opens two in its place.
func (s *Server) Split(name string) error {
	t, err := s.find(name)
	if err != nil {
		return err
	}
	return t.splitNewest()
}

func (t *table) splitNewest() error {
	all, _ := t.Shards()
	for n := len(all) - 1; n >= 0; n-- {
		if all[n].Last == 0 {
			return t.Table.Split(n)
		}
	}
	return nil
}
