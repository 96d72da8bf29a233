package protocol_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// data is a server with the tables of a directory, and a clock.
type data struct {
	*testing.T
	*protocol.Server
	clock model.Time
}

func openData(t *testing.T, dir string) *data {
	t.Helper()
	d := &data{T: t, clock: model.NewTime(time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC))}
	d.Server = protocol.New("us-east-1", func() model.Time { return d.clock })
	if err := d.OpenData(dir); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *data) request(operation, body string) {
	d.Helper()
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=any/20260329/us-east-1/dynamodb/aws4_request")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	w := httptest.NewRecorder()
	if d.ServeHTTP(w, r); w.Code != 200 {
		d.Fatalf("%s: %s", operation, w.Body)
	}
}

// transact stores an item with a token: again within ten minutes, it stores nothing.
func (d *data) transact() {
	d.Helper()
	d.request("TransactWriteItems", `{"ClientRequestToken":"token","TransactItems":[{"Put":{
		"TableName":"kept","Item":{"pk":{"S":"b"},"sk":{"S":"1"}}}}]}`)
}

// write fills a directory with all that a table keeps: items with values of all types, in an index and
// expiring, records of all changes in shards, some of them gone, and a token.
func (d *data) write() {
	d.request("CreateTable", `{"TableName":"kept","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
			{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"of","AttributeType":"S"}],
		"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
		"GlobalSecondaryIndexes":[{"IndexName":"index","Projection":{"ProjectionType":"ALL"},
			"KeySchema":[{"AttributeName":"of","KeyType":"HASH"}]}],
		"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}`)
	d.request("UpdateTimeToLive",
		`{"TableName":"kept","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}}`)
	d.request("PutItem", `{"TableName":"kept","Item":{"pk":{"S":"a"},"sk":{"S":"0"}}}`)
	d.clock = d.clock.Add(25 * time.Hour)
	d.Tick()
	d.request("PutItem", `{"TableName":"kept","Item":{"pk":{"S":"a"},"sk":{"S":"1"},"of":{"S":"x"},
		"n":{"N":"-12.5e3"},"b":{"B":"AP8="},"yes":{"BOOL":true},"no":{"BOOL":false},"null":{"NULL":true},
		"blank":{"S":""},"text":{"S":"Grüße\n\"日本\" \u0001"},
		"list":{"L":[{"N":"1"},{"M":{"k":{"S":"v"}}}]},
		"set":{"SS":["b","a"]},"bytes":{"L":[{"B":"AP8="}]}}}`)
	d.request("PutItem", `{"TableName":"kept",
		"Item":{"pk":{"S":"a"},"sk":{"S":"2"},"ttl":{"N":"1774836000"}}}`)
	if err := d.Split("kept"); err != nil {
		d.Fatal(err)
	}
	d.request("UpdateItem", `{"TableName":"kept","Key":{"pk":{"S":"a"},"sk":{"S":"1"}},
		"UpdateExpression":"SET n = n + :n REMOVE blank","ExpressionAttributeValues":{":n":{"N":"0.1"}}}`)
	d.request("DeleteItem", `{"TableName":"kept","Key":{"pk":{"S":"a"},"sk":{"S":"0"}}}`)
	d.transact()
}

// state is all that a program can read of the table.
func (d *data) state() string {
	table := d.Table("kept")
	items, _ := table.Scan("", nil, 0)
	byIndex, _ := table.Query(&engine.Range{Index: "index", Partition: "x"})
	shards, trimmed := table.Shards()
	count, bytes := table.Size()
	return fmt.Sprintln(items.Items, "\n", byIndex.Items, "\n", table.Records(0), "\n", shards, trimmed,
		count, bytes, table.Options(), table.Schema())
}

// The file in testdata was written by the version of 1 December 2026, which held items as maps.
func TestOpenData_ReadsWhatEarlierVersionsWrote(t *testing.T) {
	written := openData(t, t.TempDir())
	written.write()
	want := written.state()
	if err := written.Close(); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	extract(t, filepath.Join("testdata", "tables.db.gz"), filepath.Join(dir, protocol.FileName))
	kept := openData(t, dir)
	kept.clock = written.clock
	if got := kept.state(); got != want {
		t.Errorf("the directory has\n%s\nwant what this version writes:\n%s", got, want)
	}
	if kept.transact(); kept.state() != want {
		t.Error("a transaction that was stored before is stored again: its token is lost")
	}
	kept.clock = kept.clock.Add(time.Hour)
	kept.Tick()
	if last := kept.Table("kept").Records(6); len(last) != 1 || !last[0].Service {
		t.Errorf("records are %v, want the removal of the item that expired", last)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
}

func extract(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
