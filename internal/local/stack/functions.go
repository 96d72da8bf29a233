package stack

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tidemark-db/tidemark/internal/base/clock"
)

// startFunctions starts the functions that the configuration needs.
func (s *Stack) startFunctions(ctx context.Context, binaries map[string]string) error {
	if err := s.startThrottle(); err != nil {
		return err
	}
	if err := s.startInvocations(); err != nil {
		return err
	}
	endpoints := map[string]string{aggregate: s.throttled.URL}
	own := map[string][]string{aggregate: s.ownInvocations()}
	for _, d := range servedBy(s.opts.Config) {
		log, err := s.openLog(d.name)
		if err != nil {
			return err
		}
		env := Environment(cmp.Or(endpoints[d.name], s.reached(d.name)), s.Table, s.opts.ConfigPath)
		env = append(env, own[d.name]...)
		f, err := StartFunction(ctx, FunctionOptions{
			Name:        deployedName(d.name),
			Binary:      binaries[d.name],
			Env:         append(env, s.alertFile(), clock.Env+"="+s.opts.Clock.Path()),
			Timeout:     d.settings(s.opts.Config).Timeout,
			Concurrency: d.processes(s.opts.Config),
			Log:         io.MultiWriter(log, &s.metrics),
			OnKill:      s.opts.OnKill,
		})
		if err != nil {
			return err
		}
		s.functions[d.name] = f
	}
	return nil
}

// reached returns the address at which a function reaches the table.
func (s *Stack) reached(function string) string {
	if s.opts.reach == nil {
		return s.Endpoint
	}
	return s.opts.reach(function, s.Endpoint)
}

// openLog creates the log of a function, and removes the log of the previous run.
func (s *Stack) openLog(name string) (io.Writer, error) {
	dir := filepath.Join(s.opts.Dir, "logs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", name, err)
	}
	file, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", name, err)
	}
	s.logs = append(s.logs, file)
	return file, nil
}
