// Package eventbus publishes alert notifications: to Amazon EventBridge when deployed, and to
// a file in a local stack.
package eventbus

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/tidemark-db/tidemark/internal/api/awsenv"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

var (
	_ alert.Publisher = (*Bus)(nil)
	_ alert.Publisher = (*File)(nil)
)

// publishTimeout limits one Publish. The schedule retries notifications that are not accepted in time.
const publishTimeout = 3 * time.Second

// Bus publishes to an EventBridge event bus. It is safe for concurrent use.
type Bus struct {
	Name string

	once   sync.Once // the client is created on first use, because most cold starts publish nothing
	client eventPutter
	err    error
}

type eventPutter interface {
	PutEvents(ctx context.Context, in *eventbridge.PutEventsInput,
		opts ...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error)
}

// Publish sends one PutEvents request. It reports which notifications the bus accepted; the
// error is the reason for the first one that it did not.
func (b *Bus) Publish(ctx context.Context,
	notifications []storage.Notification) (accepted []bool, err error) {
	b.once.Do(b.connect)
	if b.err != nil {
		return nil, b.err
	}
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	out, err := b.client.PutEvents(ctx, &eventbridge.PutEventsInput{Entries: b.entries(notifications)})
	if err != nil {
		return nil, fmt.Errorf("put events on bus %s: %w", b.Name, err)
	}
	accepted = make([]bool, len(notifications))
	for i, entry := range out.Entries {
		if accepted[i] = entry.ErrorCode == nil; !accepted[i] && err == nil {
			err = fmt.Errorf("put events on bus %s: %s", b.Name, *entry.ErrorCode)
		}
	}
	return accepted, err
}

func (b *Bus) connect() {
	if b.client != nil {
		return
	}
	settings, err := awsenv.Config("")
	if err != nil {
		b.err = err
		return
	}
	b.client = eventbridge.NewFromConfig(settings)
}

func (b *Bus) entries(notifications []storage.Notification) []types.PutEventsRequestEntry {
	all := make([]types.PutEventsRequestEntry, len(notifications))
	for i := range notifications {
		n := &notifications[i]
		all[i] = types.PutEventsRequestEntry{
			EventBusName: &b.Name, Source: new(storage.AlertEventSource), DetailType: new(n.Change.DetailType()),
			Detail: new(string(detail(n))), Time: new(n.At.Time()),
		}
	}
	return all
}

func detail(n *storage.Notification) []byte {
	text, _ := json.Marshal(alert.NewNotificationView(n)) // plain data: cannot fail
	return text
}

// File appends notifications to a file, one JSON object a line. It is safe for concurrent
// use, also by several processes.
type File struct{ Path string }

// Publish appends one line for each notification.
func (f *File) Publish(_ context.Context, notifications []storage.Notification) (accepted []bool, err error) {
	file, err := os.OpenFile(f.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("publish alert notifications: %w", err)
	}
	defer file.Close()
	accepted = make([]bool, len(notifications))
	for i := range notifications {
		line, _ := json.Marshal(map[string]any{
			"source": storage.AlertEventSource, "detail-type": notifications[i].Change.DetailType(),
			"detail": json.RawMessage(detail(&notifications[i])),
		})
		if _, err := file.Write(append(line, '\n')); err != nil {
			return accepted, fmt.Errorf("publish alert notifications: %w", err)
		}
		accepted[i] = true
	}
	return accepted, nil
}

// FromEnv returns the publisher for the bus or the file that the environment names, nil if it names neither.
func FromEnv(bus, file string) alert.Publisher {
	switch {
	case bus != "":
		return &Bus{Name: bus}
	case file != "":
		return &File{Path: file}
	}
	return nil
}
