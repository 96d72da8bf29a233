package eventbus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func notices() []model.Notice {
	a := model.Alert{ID: "01KDWCN5TV8QD99ME6KB1AXNAW", Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"},
		Rule: "too-hot.1", Severity: model.Critical, Measure: "temperature", Limit: "above 30",
		Violation: model.Violation{Value: model.MustDecimal("31.5")}}
	return []model.Notice{{Alert: a, Change: model.AlertRaised}, {Alert: a, Change: model.AlertAcknowledged}}
}

type fakeBus struct {
	in  *eventbridge.PutEventsInput
	err error
}

func (f *fakeBus) PutEvents(_ context.Context, in *eventbridge.PutEventsInput, _ ...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error) {
	f.in = in
	return &eventbridge.PutEventsOutput{Entries: []types.PutEventsResultEntry{{EventId: new("1")}, {ErrorCode: new("ThrottlingException")}}}, f.err
}

func TestBus_SaysWhichWereTaken(t *testing.T) {
	fake := &fakeBus{}
	bus := &Bus{Name: "tidemark-dev", client: fake}
	taken, err := bus.Publish(t.Context(), notices())
	if err == nil || len(taken) != 2 || !taken[0] || taken[1] {
		t.Errorf("taken %v, %v: want the first alone, and why", taken, err)
	}
	first := fake.in.Entries[0]
	var told alert.Telling
	if err := json.Unmarshal([]byte(*first.Detail), &told); err != nil {
		t.Fatal(err)
	}
	if *first.EventBusName != "tidemark-dev" || *first.Source != model.AlertSource || *first.DetailType != "Alert raised" ||
		told.ID != notices()[0].Alert.ID || told.Alert.Message != "temperature 31.5 above 30" {
		t.Errorf("told %+v as %s of %s", told, *first.DetailType, *first.Source)
	}
	fake.err = errors.New("no answer")
	if taken, err := bus.Publish(t.Context(), notices()); err == nil || len(taken) != 0 {
		t.Errorf("without an answer: %v, %v", taken, err)
	}
}

func TestFile_IsALineANotice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "alerts.ndjson")
	to := FromEnv("", path)
	for range 2 {
		if taken, err := to.Publish(t.Context(), notices()); err != nil || !taken[0] || !taken[1] {
			t.Fatalf("taken %v, %v", taken, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("\n")) != 4 || !json.Valid(bytes.SplitN(text, []byte("\n"), 2)[0]) {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if FromEnv("", "") != nil {
		t.Error("where nothing is named there is somebody to tell")
	}
}
