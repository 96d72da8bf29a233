package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A batch fails because a newer version wrote the row. Once this version may write it,
// retry processes the batch from the on-failure file.
func TestFailed_BatchesProcessesABatchThatTheStackFailedToProcess(t *testing.T) {
	b := newBench(t)
	settings := config.Default(iot.Kinds()...)
	functions, err := stack.FindStackBinaries(context.Background(), settings)
	if errors.Is(err, stack.ErrNoBinaries) {
		testenv.Missing(t, "binaries", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	settings.Mapping.MaxRetries, settings.Mapping.Window = 0, 0
	dir := t.TempDir()
	b.table = dynamo.New(newClient(t), fmt.Sprintf("given-up-%d", time.Now().UnixNano()))
	stack, err := stack.Start(t.Context(), stack.Options{
		Config: settings, Table: b.table.Name(), Dir: dir, DynamoDB: ddblocal.Options{Endpoint: b.endpoint},
		BinaryDir: functions,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stack.Stop()
	send := func(when string) {
		body := fmt.Sprintf(`{"deviceId":"a","timestamp":%q,"temperature":1}`, when)
		resp, err := http.Post(stack.URL+"/v1/readings", "application/json", strings.NewReader(body))
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("send: %v, %v", resp, err)
		}
		resp.Body.Close()
		if err := stack.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	send("2026-11-02T10:00:00Z")
	row, newer := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z"),
		b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
	newer[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	b.put(newer)
	send("2026-11-02T10:30:00Z")
	if n := stack.Stats().GivenUp; n != 1 {
		t.Fatalf("%d failed batches, want 1", n)
	}
	b.put(row)
	// Its hour, its day and its month have ended.
	b.expect(0, words("verify"), "buckets whose changes are not processed yet: 3")
	processed := model.NewTime(time.Now().Add(2 * time.Minute)) // as if later changes were
	if _, _, err := b.table.AdvanceProgress(t.Context(), processed, model.MinTime); err != nil {
		t.Fatal(err)
	}
	b.expect(1, words("verify"), "not in the row: 2026-11-02T10:30:00.000Z")
	line := words("failed retry --source batches --file " + filepath.Join(dir, "on-failure.ndjson"))
	b.expect(0, line, "processed 1 changes", "batches: 1 processed and removed")
	b.expect(0, words("verify"), equalText)
	b.expect(0, line, "batches: there are none")
	b.expect(0, words("rebuild --gap recorded"), "no gap is recorded")
}
