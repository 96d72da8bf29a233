package local

import (
	"context"
	"path/filepath"

	"github.com/tidemark-db/tidemark/internal/config"
)

// AlertsFile returns the path of the file to which a stack with files in dir writes alerts, one
// line for each change. It replaces the event bus.
func AlertsFile(dir string) string { return filepath.Join(dir, "alerts.ndjson") }

// alertFile returns the environment variable with the absolute path of the file, because the
// functions run in another directory.
func (s *Stack) alertFile() string {
	path := AlertsFile(s.opts.Dir)
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return config.EnvAlertFile + "=" + path
}

// RunAlerts invokes aggregate once as its schedule does, in addition to the schedule.
func (s *Stack) RunAlerts(ctx context.Context) (response []byte, err error) {
	return s.functions[aggregate].Invoke(ctx, scheduled)
}
