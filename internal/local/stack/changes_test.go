package stack

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// record returns the record of a change of the item with a key.
func record(k keys.Key) types.Record {
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	return types.Record{Dynamodb: &types.StreamRecord{
		Keys: map[string]types.AttributeValue{keys.AttrPK: text(k.PK), keys.AttrSK: text(k.SK)},
	}}
}

func TestChanges_NameTheSubjectsOfRecords(t *testing.T) {
	t.Parallel()
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	device := func(id string, shard int) types.Record {
		s := model.Series{Subject: model.Subject{Type: "DEVICE", ID: id}, Shard: shard}
		return record(keys.Key{PK: keys.Partition(s), SK: "x"})
	}
	listed := record(tablekeys.SeriesEntry(
		model.Series{Subject: model.Subject{Type: "DEVICE", ID: "new"}, Kind: "READING"}))
	live, end := context.WithCancel(t.Context())
	var c changes
	server := httptest.NewServer(c.handler(live, kinds))
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	other := record(keys.Key{PK: "INVALIDATION#3", SK: "x"})
	c.add([]types.Record{other, device("a\nb/c", 0), device("a\nb/c", 0), {Dynamodb: &types.StreamRecord{}},
		device("spread", 2), listed})
	lines := bufio.NewScanner(resp.Body)
	for _, want := range []string{
		`data: "devices/a\nb/c"`, "", `data: "devices/spread"`, "", `data: "devices/new"`, "",
	} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("got %q, want %q", lines.Text(), want)
		}
	}
	end()
	defer func() {
		for page := range c.pages.Range {
			t.Errorf("a page that left is notified: %v", page)
		}
	}()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("after the end of the stack: %q, %v", rest, err)
	}
}

// A page that does not read must not stop the delivery of the table stream.
func TestChanges_DoNotWaitForAPage(t *testing.T) {
	t.Parallel()
	var c changes
	page := make(chan model.Subject, maxWaiting)
	c.pages.Store(page, nil)
	for range maxWaiting + 10 {
		c.add([]types.Record{record(keys.Key{PK: "DEVICE#a", SK: "x"})})
	}
	if len(page) != maxWaiting {
		t.Errorf("%d changes wait, want %d", len(page), maxWaiting)
	}
}
