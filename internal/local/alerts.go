package local

import (
	"context"
	"path/filepath"

	"github.com/tidemark-db/tidemark/internal/config"
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

// TellAlerts invokes aggregate once, as its schedule does, beside the schedule's own
// calls.
func (s *Stack) TellAlerts(ctx context.Context) (answer []byte, err error) {
	return s.functions[aggregate].Invoke(ctx, scheduled)
}
