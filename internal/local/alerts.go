package local

import (
	"context"
	"path/filepath"
	"time"

	"github.com/tidemark-db/tidemark/pkg/config"
)

// AlertsFile is where a stack whose files lie in dir tells of alerts, a line for each
// change: it stands in for the event bus.
func AlertsFile(dir string) string { return filepath.Join(dir, "alerts.ndjson") }

// alertFile names the file to the functions, which run in another folder.
func (s *Stack) alertFile() string {
	path := AlertsFile(s.opts.Dir)
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return config.EnvAlertFile + "=" + path
}

// scheduleAlerts invokes aggregate as its schedule does. What fails is in the function's
// log, and comes again.
func (s *Stack) scheduleAlerts() {
	every := time.NewTicker(config.AlertsEvery)
	defer every.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-every.C:
			s.TellAlerts(s.ctx)
		}
	}
}

// TellAlerts invokes aggregate once, as its schedule does, beside the schedule's own
// calls.
func (s *Stack) TellAlerts(ctx context.Context) (answer []byte, err error) {
	return s.functions[aggregate].Invoke(ctx, []byte(`{"detail-type":"Scheduled Event","source":"aws.events"}`))
}
