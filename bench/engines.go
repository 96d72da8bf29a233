package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// serveFlag is the flag of the process that is the engine: a directory, or memory.
const serveFlag = "serve"

const inMemory = "memory"

// serveEngine serves Tidemark's engine until it is killed, and prints its endpoint.
func serveEngine(dir string) error {
	s := protocol.New("us-east-1", func() model.Time { return model.NewTime(time.Now()) })
	if dir != inMemory {
		if err := s.OpenData(dir); err != nil {
			return err
		}
	}
	l, err := protocol.Listen(s)
	if err != nil {
		return err
	}
	fmt.Println(l.Endpoint)
	select {}
}

// database is a process that serves DynamoDB's protocol.
type database struct {
	endpoint string
	pid      int
	stop     func()
}

// databases are the contenders. Each start returns when the process listens.
var databases = []struct {
	name  string
	start func(dir string) (database, error)
}{
	{"Tidemark's engine, in memory", func(string) (database, error) { return startEngine(inMemory) }},
	{"Tidemark's engine, on disk", startEngine},
	{"DynamoDB Local, in memory", func(string) (database, error) {
		server, err := ddblocal.Start(context.Background(), ddblocal.FromEnv())
		if err != nil {
			return database{}, err
		}
		return database{endpoint: server.Endpoint, pid: server.PID(), stop: server.Stop}, nil
	}},
	{"dynoxide, in memory", func(string) (database, error) { return startDynoxide() }},
}

func startEngine(dir string) (database, error) {
	cmd := exec.Command(must(os.Executable()), "bench", "--"+serveFlag, dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		return database{}, err
	}
	d := database{pid: cmd.Process.Pid, stop: func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		d.stop()
		return database{}, errors.New("the engine ended before it listened")
	}
	d.endpoint = lines.Text()
	return d, nil
}

func startDynoxide() (database, error) {
	cache := must(os.UserCacheDir())
	built, err := filepath.Glob(filepath.Join(cache, "tidemark", "dynoxide-*", "bin", "dynoxide"))
	if err != nil || len(built) == 0 {
		return database{}, errors.New("dynoxide is not built: run scripts/dynoxide.sh, which needs cargo")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return database{}, err
	}
	address := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(built[len(built)-1], "--port", port)
	if err := cmd.Start(); err != nil {
		return database{}, err
	}
	d := database{endpoint: "http://" + address, pid: cmd.Process.Pid,
		stop: func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }}
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return d, nil
		}
	}
	d.stop()
	return database{}, errors.New("dynoxide does not listen")
}

// megabytes is the resident memory of a process.
func megabytes(pid int) string {
	kb, err := strconv.Atoi(field(fmt.Sprintf("/proc/%d/status", pid), `(?m)^VmRSS:\s*(\d+) kB`))
	if err != nil {
		return "?"
	}
	return fmt.Sprintf("%d MB", kb>>10)
}

// held are the figures of one contender.
type held struct {
	start          time.Duration
	rest, full     string
	fresh, atItems [2]float64 // events a second, one by one and in batches
	loaded         int
	load           time.Duration
}

const engineEach = 98 // events of each series, one by one

// rates appends one by one and in batches.
func rates(client *dynamodb.Client, name string) (both [2]float64, err error) {
	in, kind := ingestInto(client)
	for i, way := range []struct{ each, batch int }{{engineEach, 1}, {appendEach, appendBatch}} {
		began := time.Now()
		if err := appendEvents(in, kind, fmt.Sprint(name, i), way.each, way.batch); err != nil {
			return both, err
		}
		both[i] = float64(appendSeries*way.each) / time.Since(began).Seconds()
	}
	return both, nil
}

func hold(start func(string) (database, error), items int) (h held, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return h, err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	d, err := start(dir)
	if err != nil {
		return h, err
	}
	defer d.stop()
	client, err := dynamo.NewClient(ctx, "", d.endpoint)
	if err != nil {
		return h, err
	}
	if _, err := client.ListTables(ctx, &dynamodb.ListTablesInput{}); err != nil {
		return h, err
	}
	h.start = time.Since(began)
	if err := dynamo.New(client, appendTable).Create(ctx); err != nil {
		return h, err
	}
	h.rest = megabytes(d.pid)
	if h.fresh, err = rates(client, "fresh"); err != nil {
		return h, err
	}
	began = time.Now()
	if h.loaded, err = fill(ctx, client, items); err != nil {
		return h, err
	}
	h.load = time.Since(began)
	h.full = megabytes(d.pid)
	h.atItems, err = rates(client, "full")
	return h, err
}

// fillFor is how long an engine is filled at most.
const fillFor = 8 * time.Minute

// fill puts so many events, 25 in a request and eight requests at once, and returns how many there was time
// for.
func fill(ctx context.Context, client *dynamodb.Client, items int) (loaded int, err error) {
	const inRequest = 25
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(appendersAt)
	until := time.Now().Add(fillFor)
	for ; loaded < items && time.Now().Before(until) && ctx.Err() == nil; loaded += inRequest {
		at := loaded
		group.Go(func() error {
			var puts []types.WriteRequest
			for n := at; n < at+inRequest; n++ {
				e := reading(fmt.Sprintf("loaded_%06d", n/1000), n%1000)
				put := &types.PutRequest{Item: sdkItem(item.FromEvent(&e))}
				puts = append(puts, types.WriteRequest{PutRequest: put})
			}
			out, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{appendTable: puts}})
			if err == nil && len(out.UnprocessedItems) > 0 {
				err = errors.New("items are unprocessed")
			}
			return err
		})
	}
	return loaded, group.Wait()
}

func holding(o options) *section {
	s := &section{
		title: "Engines of tidemark dev",
		intro: fmt.Sprintf("Each engine is a process of its own with our table. The same ingest appends %d "+
			"events of %d series one by one, %d at once, then %d in calls of %d. BatchWriteItem loads %d "+
			"events, or as many as it can in %s, and both are appended again. DynamoDB Local becomes "+
			"several times faster when its Java has compiled what is frequent.",
			appendSeries*engineEach, appendSeries, appendersAt, appendSeries*appendEach, appendBatch,
			o.items, fillFor),
		head: []string{"engine", "start", "memory at rest", "events a second, fresh: one by one",
			"in batches", "loaded", "memory then", "events a second then: one by one", "in batches"},
	}
	for _, d := range databases {
		h, err := hold(d.start, o.items)
		if err != nil {
			s.note("Not measured: %s: %v", d.name, err)
			continue
		}
		s.row(d.name, fmt.Sprintf("%s ms", short(float64(h.start.Microseconds())/1e3)), h.rest,
			short(h.fresh[0]), short(h.fresh[1]),
			fmt.Sprintf("%d in %s s", h.loaded, short(h.load.Seconds())), h.full,
			short(h.atItems[0]), short(h.atItems[1]))
	}
	return s
}
