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

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func notifications() []storage.Notification {
	a := storage.Alert{ID: "01KDWCN5TV8QD99ME6KB1AXNAW",
		Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"},
		Rule:   "too-hot.1", Severity: storage.Critical, Measure: "temperature", Limit: "above 30",
		Violation: storage.Violation{Value: model.MustDecimal("31.5")}}
	return []storage.Notification{{Alert: a, Change: storage.AlertChangeRaised},
		{Alert: a, Change: storage.AlertChangeAcknowledged}}
}

type fakeBus struct {
	in  *eventbridge.PutEventsInput
	err error
}

func (f *fakeBus) PutEvents(_ context.Context, in *eventbridge.PutEventsInput,
	_ ...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error) {
	f.in = in
	return &eventbridge.PutEventsOutput{Entries: []types.PutEventsResultEntry{{EventId: new("1")},
		{ErrorCode: new("ThrottlingException")}}}, f.err
}

func TestBus_ReportsWhichNotificationsWereAccepted(t *testing.T) {
	fake := &fakeBus{}
	bus := &Bus{Name: "tidemark-dev", client: fake}
	accepted, err := bus.Publish(t.Context(), notifications())
	if err == nil || len(accepted) != 2 || !accepted[0] || accepted[1] {
		t.Errorf("accepted %v, %v; want only the first, and an error", accepted, err)
	}
	first := fake.in.Entries[0]
	var published alert.NotificationView
	if err := json.Unmarshal([]byte(*first.Detail), &published); err != nil {
		t.Fatal(err)
	}
	if *first.EventBusName != "tidemark-dev" || *first.Source != storage.AlertEventSource ||
		*first.DetailType != "Alert raised" ||
		published.ID != notifications()[0].Alert.ID || published.Alert.Message != "temperature 31.5 above 30" {
		t.Errorf("published %+v as %s of %s", published, *first.DetailType, *first.Source)
	}
	fake.err = errors.New("no response")
	if accepted, err := bus.Publish(t.Context(), notifications()); err == nil || len(accepted) != 0 {
		t.Errorf("without a response: %v, %v; want an error", accepted, err)
	}
}

func TestFile_HasOneLineForEachNotification(t *testing.T) {
	path := filepath.Join(t.TempDir(), "alerts.ndjson")
	to := FromEnv("", path)
	for range 2 {
		if accepted, err := to.Publish(t.Context(), notifications()); err != nil || !accepted[0] || !accepted[1] {
			t.Fatalf("accepted %v, %v; want all", accepted, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("\n")) != 4 ||
		!json.Valid(bytes.SplitN(text, []byte("\n"), 2)[0]) {
		t.Errorf("the file contains %q, %v; want four lines of JSON", text, err)
	}
	if FromEnv("", "") != nil {
		t.Error("got a publisher without a bus or a file, want nil")
	}
}
