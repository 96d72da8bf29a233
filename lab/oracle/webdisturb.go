package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// disturbance is what the sender of the log does to it. The zero value sends it once, in order of arrival.
type disturbance struct {
	seed    uint64
	random  bool    // the order in which lines are sent
	deleted float64 // the percentage of events that are deleted after all were sent, and sent again after that
}

// errUntouched is the error of a deletion that changes no bucket, so that putting events back proves nothing.
var errUntouched = errors.New("every bucket equals the oracle although events are deleted")

// order sorts the lines of a kind as they are sent.
func (d disturbance) order(lines []Line) {
	if d.random {
		mathrand.New(mathrand.NewPCG(d.seed, 1)).Shuffle(len(lines), func(i, j int) {
			lines[i], lines[j] = lines[j], lines[i]
		})
	}
}

// sample returns the lines whose events are deleted, in random order, one of each kind at least.
func (d disturbance) sample(lines map[string][]Line) map[string][]Line {
	drawn := map[string][]Line{}
	for kind, of := range lines {
		if d.deleted > 0 {
			drawn[kind] = slices.Clone(of)
			mathrand.New(mathrand.NewPCG(d.seed, 2)).Shuffle(len(of), func(i, j int) {
				drawn[kind][i], drawn[kind][j] = drawn[kind][j], drawn[kind][i]
			})
			drawn[kind] = drawn[kind][:max(1, int(float64(len(of))*d.deleted/100))]
		}
	}
	return drawn
}

// deleteAndPutBack deletes the events of lines over HTTP, checks that buckets differ from the oracle without
// them, and sends the lines again.
func deleteAndPutBack(ctx context.Context, rig *loggers.Rig, lines map[string][]Line,
	expects map[Bucket]*Expect, out io.Writer) error {
	kinds, err := rig.Config.Catalog()
	if err != nil {
		return err
	}
	n := 0
	for name, of := range lines {
		kind, _ := kinds.Kind(name)
		if err := deleteLines(ctx, rig.Stack.URL, kind, of); err != nil {
			return err
		}
		n += len(of)
	}
	if err := rig.Stack.Idle(ctx); err != nil {
		return err
	}
	without, err := compareAtTheirTime(ctx, rig, expects)
	if err != nil {
		return err
	}
	if without.Equal == without.Buckets {
		return errUntouched
	}
	fmt.Fprintf(out, "deleted   %d events: %d buckets differ without them\n", n, len(without.Wrong))
	return replaySites(ctx, rig, lines, out)
}

func deleteLines(ctx context.Context, base string, kind *catalog.Kind, lines []Line) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, l := range lines {
		group.Go(func() error { return deleteLine(ctx, base, kind, l) })
	}
	return group.Wait()
}

func deleteLine(ctx context.Context, base string, kind *catalog.Kind, l Line) error {
	id, _ := l.Observation()["id"].(string)
	path := []string{"v1", "sites", l.Site, kind.Path, l.At, id}
	for i := range path {
		path[i] = url.PathEscape(path[i])
	}
	address := base + "/" + strings.Join(path, "/")
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("DELETE %s: %s %s, %w", address, response.Status, text, err)
	}
	return nil
}

// replaySites replays lines, one kind after the other, and waits until the rollups are complete.
func replaySites(ctx context.Context, rig *loggers.Rig, lines map[string][]Line, out io.Writer) error {
	dir, err := os.MkdirTemp("", "tidemark-web-")
	if err != nil {
		return fmt.Errorf("make a directory for observations: %w", err)
	}
	defer os.RemoveAll(dir)
	for _, kind := range []string{web.Malformed.Name, web.PageViews.Name, web.Requests.Name} {
		path := filepath.Join(dir, kind+".ndjson")
		if len(lines[kind]) == 0 {
			continue
		}
		if err := writeObservations(path, lines[kind]); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n$ tidemark replay --wait --kind %s\n", kind)
		if err := rig.Tidemark(ctx, out, "replay", "--wait", "--kind", kind, path); err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	return nil
}

func writeObservations(path string, lines []Line) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	encoder := json.NewEncoder(f)
	for _, l := range lines {
		if err := encoder.Encode(l.Observation()); err != nil {
			return err
		}
	}
	return f.Close()
}
