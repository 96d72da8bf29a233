package stack

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestChanges_NameTheSubjectsOfRecords(t *testing.T) {
	t.Parallel()
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	record := func(partition string) types.Record {
		return types.Record{Dynamodb: &types.StreamRecord{Keys: map[string]types.AttributeValue{keys.AttrPK: &types.AttributeValueMemberS{Value: partition}}}}
	}
	device := func(id string, shard int) types.Record {
		return record(keys.Partition(model.Series{Subject: model.Subject{Type: "DEVICE", ID: id}, Shard: shard}))
	}
	live, end := context.WithCancel(t.Context())
	var c changes
	server := httptest.NewServer(c.handler(live, kinds))
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	c.add([]types.Record{record("INVALIDATION#3"), device("a\nb/c", 0), device("a\nb/c", 0),
		{Dynamodb: &types.StreamRecord{}}, device("spread", 2)})
	lines := bufio.NewScanner(resp.Body)
	for _, want := range []string{`data: "devices/a\nb/c"`, "", `data: "devices/spread"`, ""} {
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
	page := make(chan string, maxWaiting)
	c.pages.Store(page, nil)
	for range maxWaiting + 10 {
		c.add([]types.Record{{Dynamodb: &types.StreamRecord{Keys: map[string]types.AttributeValue{keys.AttrPK: &types.AttributeValueMemberS{Value: "DEVICE#a"}}}}})
	}
	if len(page) != maxWaiting {
		t.Errorf("%d changes wait, want %d", len(page), maxWaiting)
	}
}
