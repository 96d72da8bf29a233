package streamtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// DynamoDB is DynamoDB in memory for a program that uses an AWS SDK: the transport of its HTTP client. There
// is no port and no process:
//
//	client := dynamodb.New(dynamodb.Options{
//		Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("any", "any", ""),
//		HTTPClient: &http.Client{Transport: streamtest.NewDynamoDB(s)}, Retryer: aws.NopRetryer{},
//	})
//
// The program creates its tables by CreateTable. The changes of a table with a stream are delivered by
// Sim.Deliver. A request whose ctx is of Sim.Go or of an invocation can meet faults: it is throttled, loses
// its response, or is carried out later. Any other request is carried out at once. Retries of an SDK wait in
// real time, which the simulation does not know: without aws.NopRetryer the test is slow.
//
// Keys are strings, indexes project all attributes, and the requests are GetItem, PutItem, UpdateItem,
// DeleteItem, Query, Scan, batches, TransactWriteItems, and requests for tables and TTL. What it does not
// know, such as a FilterExpression, it refuses by name. BatchWriteItem meets a fault as one request. Without
// a Sim, it is safe for concurrent use.
type DynamoDB struct {
	sim     *simstream.Sim // nil: no simulation
	server  *protocol.Server
	commits []commit // of the requests so far, that are not yet in the table stream
}

var _ http.RoundTripper = (*DynamoDB)(nil)

// commit is what one request changed in a table.
type commit struct {
	table string
	*engine.Commit
}

// NewDynamoDB returns a DynamoDB without tables. With nil in place of a Sim, it is one without faults and
// without delivery, by the clock of the machine.
func NewDynamoDB(s *Sim) *DynamoDB {
	if s == nil {
		return &DynamoDB{server: protocol.New(anyRegion, wallClock)}
	}
	d := &DynamoDB{sim: s.sim, server: protocol.New(anyRegion, s.sim.Now)}
	d.server.Watch(func(table string, c *engine.Commit) { d.commits = append(d.commits, commit{table, c}) })
	return d
}

func wallClock() model.Time { return model.NewTime(time.Now()) }

// anyRegion is the Region in ARNs.
const anyRegion = "us-east-1"

// reads and writes are the requests that can meet faults.
var (
	reads  = []string{"GetItem", "BatchGetItem", "Query", "Scan"}
	writes = []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
)

// RoundTrip responds to a request. The error is one that a client sees if it receives no response, such as
// ErrUnknown.
func (d *DynamoDB) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	_, name, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var response *http.Response
	send := func() *http.Response {
		response = d.serve(r, body)
		return response
	}
	ctx := r.Context()
	switch {
	case d.sim == nil || !slices.Contains(reads, name) && !slices.Contains(writes, name):
		return send(), nil
	case slices.Contains(reads, name):
		err := d.sim.Read(ctx, d.describe(name, body), func() error {
			send()
			return nil
		})
		return response, err
	}
	result, err := d.sim.Write(ctx, d.describe(name, body), func() (storage.WriteResult, error) {
		defer d.publish(d.sim.Who(ctx))
		if send().StatusCode != http.StatusOK {
			return storage.ConditionFailed, nil // or any other error, which response has
		}
		return storage.Written, nil
	})
	switch {
	case err != nil:
		return nil, err
	case result == storage.Unknown:
		return nil, ErrUnknown
	case result == storage.Throttled:
		return newResponse(r, http.StatusBadRequest, throttled), nil
	case result == storage.Conflicted:
		return newResponse(r, http.StatusBadRequest, conflicts(name, body)), nil
	}
	return response, nil
}

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// serve carries out a request.
func (d *DynamoDB) serve(r *http.Request, body []byte) *http.Response {
	request := r.Clone(context.WithoutCancel(r.Context()))
	request.Body = io.NopCloser(bytes.NewReader(body))
	out := recorder{header: http.Header{}}
	d.server.ServeHTTP(&out, request)
	response := newResponse(r, out.status, out.body.String())
	response.Header = out.header
	return response
}

// recorder keeps a response.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
func (r *recorder) WriteHeader(status int)      { r.status = status }

func newResponse(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		Status: fmt.Sprint(status, " ", http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// Responses of requests that a fault stopped.
const (
	throttled = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",` +
		`"message":"The level of configured provisioned throughput for the table was exceeded."}`
	conflict = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException",` +
		`"message":"Transaction is ongoing for the item"}`
	cancelled = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",` +
		`"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons",` +
		`"CancellationReasons":[%s]}`
)

// conflicts returns the response to a write that conflicts with a transaction: of one, with its first item.
func conflicts(name string, body []byte) string {
	if name != "TransactWriteItems" {
		return conflict
	}
	var in struct{ TransactItems []json.RawMessage }
	_ = json.Unmarshal(body, &in) // an invalid request has no items
	reasons := []string{`{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"}`}
	for range max(len(in.TransactItems), 1) - 1 {
		reasons = append(reasons, `{"Code":"None"}`)
	}
	return fmt.Sprintf(cancelled, strings.Join(reasons, ","))
}

// describe returns a request as in a trace, with the keys of its items.
func (d *DynamoDB) describe(name string, body []byte) simstream.Request {
	var in any
	_ = json.Unmarshal(body, &in) // an invalid request has no keys
	var found itemNames
	partitions := d.addKeys(in, &found)
	return simstream.Request{Verb: name, Of: found, Keys: partitions}
}

// itemNames are keys as in a trace.
type itemNames []string

func (n itemNames) String() string { return strings.Join(n, ", ") }

// addKeys adds the keys of all items in a request, which are members Key and Item beside TableName, and
// returns their partition keys.
func (d *DynamoDB) addKeys(in any, found *itemNames) (partitions []string) {
	switch in := in.(type) {
	case []any:
		for _, one := range in {
			partitions = append(partitions, d.addKeys(one, found)...)
		}
	case map[string]any:
		name, _ := in["TableName"].(string)
		if table := d.server.Table(name); table != nil {
			schema := table.Schema()
			for _, of := range []any{in["Key"], in["Item"]} {
				if it, ok := of.(map[string]any); ok {
					k := keys.Key{PK: text(it[schema.Partition]), SK: text(it[schema.Sort])}
					*found, partitions = append(*found, keyText(k)), append(partitions, k.PK)
				}
			}
		}
		for _, member := range []string{"TransactItems", "Put", "Update", "Delete", "ConditionCheck"} {
			partitions = append(partitions, d.addKeys(in[member], found)...)
		}
	}
	return partitions
}

// text returns an attribute of type S in DynamoDB's JSON.
func text(attribute any) string {
	members, _ := attribute.(map[string]any)
	s, _ := members["S"].(string)
	return s
}

func keyText(k keys.Key) string { return strings.TrimSpace(k.PK + " " + k.SK) }

// publish writes the changes of who's request into the trace, and changes of tables with a stream into the
// table stream, and schedules the expiry of the items.
func (d *DynamoDB) publish(who string) {
	commits := d.commits
	d.commits = nil
	for _, c := range commits {
		table := d.server.Table(c.table)
		schema, stream := table.Schema(), table.Options().Stream
		for i, change := range c.Changes {
			d.expireLater(table, change)
			name := keyText(change.Key)
			sent := simstream.Change{Partition: change.Key.PK, Item: name, Keys: schema.KeyItem(change.Key),
				Old: change.Old, New: change.New}
			if !stream {
				d.sim.Trace(who, sent)
				continue
			}
			sent.Expired = c.Records[i].Service
			sent.Unsigned = sent.Expired && d.sim.Unsigned(name)
			d.sim.Publish(who, sent)
		}
	}
}

// expireLater schedules the removal of a stored item by TTL.
func (d *DynamoDB) expireLater(table *engine.Table, c engine.Change) {
	v := c.New[table.Options().TTL]
	at, err := strconv.ParseInt(v.S, 10, 64)
	if v.Type != item.N || err != nil {
		return
	}
	d.sim.Expire(keyText(c.Key), at, func() {
		table.Expire(d.sim.Now(), func(k keys.Key) bool { return k == c.Key })
		d.publish("TTL:")
	})
}
