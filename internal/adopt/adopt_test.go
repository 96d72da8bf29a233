package adopt

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCreateCommand_HasTheSettingsOfTheDeployment(t *testing.T) {
	for _, filter := range []string{tablekeys.AggregateFilter, tablekeys.PurgeFilter} {
		m := Mapping{Stream: "arn:of:the:stream", Function: "my-function", Filter: filter, OnFailure: "arn:of:the:queue"}
		command := m.CreateCommand(config.Default(iot.Kinds()...).Mapping)
		pattern, err := json.Marshal(filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range []string{
			"aws lambda create-event-source-mapping", "--function-name my-function ", "--starting-position TRIM_HORIZON",
			`--filter-criteria '{"Filters":[{"Pattern":` + string(pattern) + "}]}'",
			"--event-source-arn arn:of:the:stream ", `{"OnFailure":{"Destination":"arn:of:the:queue"}}`, "--bisect-batch-on-function-error",
		} {
			if !strings.Contains(command, option) {
				t.Errorf("the command has no %s:\n%s", option, command)
			}
		}
	}
}

func TestNewestArrival_IsThatOfTheLastEventToArrive(t *testing.T) {
	table := memory.New(func() model.Time { return 0 })
	if got, err := NewestArrival(t.Context(), table); got != 0 || err != nil {
		t.Errorf("of an empty table: %s, %v; want 0", got, err)
	}
	begin := model.Time(1_776_695_400_000) // 2026-04-20T14:30:00Z
	for i, late := range []time.Duration{0, 3 * time.Hour, time.Hour} {
		e := model.Event{
			Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING"},
			Order:  model.Order{At: begin.Add(time.Duration(i) * time.Minute)}, ArrivedAt: begin.Add(late),
		}
		if _, err := table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := NewestArrival(t.Context(), table); got != begin.Add(3*time.Hour) || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, begin.Add(3*time.Hour))
	}
}
