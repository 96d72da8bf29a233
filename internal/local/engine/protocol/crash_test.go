package protocol_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// envData makes the test binary serve the tables of a directory until it is killed.
const envData = "ENGINE_TEST_DATA"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envData); dir != "" {
		serveUntilKilled(dir)
	}
	ddbtest.Main(m)
}

func serveUntilKilled(dir string) {
	s := protocol.New("us-east-1", func() model.Time { return model.NewTime(time.Now()) })
	if err := s.OpenData(dir); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	l, err := protocol.Listen(s)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println(l.Endpoint)
	select {}
}

// writer is a client that adds items under its own partition key, in pairs by one transaction, in order.
type writer struct {
	pk           string
	acknowledged int // pairs
	sent         int
}

func (w *writer) run(ctx context.Context, client *dynamodb.Client) {
	for ctx.Err() == nil {
		w.sent = w.acknowledged + 1
		var both []types.TransactWriteItem
		for _, half := range []string{"a", "b"} {
			both = append(both, types.TransactWriteItem{Put: &types.Put{
				TableName: aws.String(name), Item: map[string]types.AttributeValue{"pk": text(w.pk), "sk": text(fmt.Sprintf("%06d%s", w.sent, half))},
			}})
		}
		if _, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: both},
			func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }); err != nil {
			return
		}
		w.acknowledged = w.sent
	}
}

// A killed process must lose nothing that it acknowledged, and keep no part of a transaction.
func TestData_SurvivesKill9(t *testing.T) {
	rounds := 8
	if testenv.Long() {
		rounds = 60
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	draw, dir := rand.New(rand.NewPCG(seed, 0)), t.TempDir()
	writers := []*writer{{pk: "w0"}, {pk: "w1"}, {pk: "w2"}}
	for round := range rounds {
		process, client := startChild(t, dir)
		if round == 0 {
			if err := dynamo.New(client, name).Create(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		checkKept(t, client, writers, round)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for _, w := range writers {
			running.Go(func() { w.run(ctx, client) })
		}
		time.Sleep(time.Duration(draw.IntN(60)) * time.Millisecond)
		_ = process.Process.Kill()
		_ = process.Wait()
		cancel()
		running.Wait()
		if t.Failed() {
			t.Fatalf("after %d kills", round)
		}
	}
	total := 0
	for _, w := range writers {
		total += w.acknowledged
	}
	if total < rounds {
		t.Errorf("%d pairs acknowledged in %d rounds: the test shows little", total, rounds)
	}
	t.Logf("%d kills, %d transactions acknowledged", rounds, total)
}

func startChild(t *testing.T, dir string) (*exec.Cmd, *dynamodb.Client) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), envData+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http") {
		t.Fatalf("the server did not start: %q, %v", line, err)
	}
	client, err := dynamo.NewClient(t.Context(), "", strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return child, client
}

// checkKept compares each writer's items with what was acknowledged: the last transaction may be stored, too.
func checkKept(t *testing.T, client *dynamodb.Client, writers []*writer, round int) {
	t.Helper()
	for _, w := range writers {
		pages := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{
			TableName: aws.String(name), KeyConditionExpression: aws.String("pk = :pk"), ConsistentRead: aws.Bool(true),
			ExpressionAttributeValues: map[string]types.AttributeValue{":pk": text(w.pk)},
		})
		n := 0
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items {
				want := fmt.Sprintf("%06d%s", n/2+1, []string{"a", "b"}[n%2])
				if got := it["sk"].(*types.AttributeValueMemberS).Value; got != want {
					t.Fatalf("round %d: item %d of %s is %s, want %s", round, n, w.pk, got, want)
				}
				n++
			}
		}
		if n%2 != 0 || n/2 < w.acknowledged || n/2 > w.sent {
			t.Errorf("round %d: %s has %d items, want all of %d acknowledged pairs, and no more than %d", round, w.pk,
				n, w.acknowledged, w.sent)
		}
		w.acknowledged = n / 2
	}
}
