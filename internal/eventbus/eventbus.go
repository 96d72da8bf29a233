// Package eventbus tells the world of alerts: on Amazon EventBridge where they are
// deployed, in a file on a laptop.
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

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/awsenv"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// patience is how long a bus may take: what it does not take in time waits for the
// schedule, and nothing waits for it.
const patience = 3 * time.Second

// Bus is an event bus of EventBridge, by name. It is safe for concurrent use.
type Bus struct {
	Name string

	once   sync.Once // its client is made when there is something to tell: most cold starts have nothing
	client putter
	err    error
}

type putter interface {
	PutEvents(ctx context.Context, in *eventbridge.PutEventsInput, opts ...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error)
}

// Publish sends one PutEvents.
func (b *Bus) Publish(ctx context.Context, notices []model.Notice) (taken []bool, err error) {
	b.once.Do(b.connect)
	if b.err != nil {
		return nil, b.err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := b.client.PutEvents(ctx, &eventbridge.PutEventsInput{Entries: b.entries(notices)})
	if err != nil {
		return nil, fmt.Errorf("put events on bus %s: %w", b.Name, err)
	}
	taken = make([]bool, len(notices))
	for i, entry := range out.Entries {
		if taken[i] = entry.ErrorCode == nil; !taken[i] && err == nil {
			err = fmt.Errorf("put events on bus %s: %s", b.Name, *entry.ErrorCode)
		}
	}
	return taken, err
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

func (b *Bus) entries(notices []model.Notice) []types.PutEventsRequestEntry {
	all := make([]types.PutEventsRequestEntry, len(notices))
	for i := range notices {
		n := &notices[i]
		all[i] = types.PutEventsRequestEntry{
			EventBusName: &b.Name, Source: new(model.AlertSource), DetailType: new(n.Change.DetailType()),
			Detail: new(string(detail(n))), Time: new(n.At.Time()),
		}
	}
	return all
}

func detail(n *model.Notice) []byte {
	text, _ := json.Marshal(alert.TellingOf(n)) // plain data: cannot fail
	return text
}

// File is a file that stands in for a bus on a laptop: a line of JSON for each notice. It
// is safe for concurrent use, by several processes too.
type File struct{ Path string }

// Publish appends lines.
func (f *File) Publish(_ context.Context, notices []model.Notice) (taken []bool, err error) {
	file, err := os.OpenFile(f.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("tell alerts: %w", err)
	}
	defer file.Close()
	taken = make([]bool, len(notices))
	for i := range notices {
		line, _ := json.Marshal(map[string]any{
			"source": model.AlertSource, "detail-type": notices[i].Change.DetailType(), "detail": json.RawMessage(detail(&notices[i])),
		})
		if _, err := file.Write(append(line, '\n')); err != nil {
			return taken, fmt.Errorf("tell alerts: %w", err)
		}
		taken[i] = true
	}
	return taken, nil
}

// FromEnv is the bus or the file that the environment names; nil where it names none.
func FromEnv(bus, file string) alert.Publisher {
	switch {
	case bus != "":
		return &Bus{Name: bus}
	case file != "":
		return &File{Path: file}
	}
	return nil
}
