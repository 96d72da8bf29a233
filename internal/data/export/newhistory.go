package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// An incremental export does not read a complete file again, and must not: events of it may have expired.
// History that was imported since then for a series that was not known, or for a time before its first
// event, goes into a further file of the same day. So an export keeps the list of the series that it knew.

// knownSeries is a line of that list.
type knownSeries struct {
	Kind    string     `json:"kind"`
	Subject string     `json:"subject"`
	Stream  string     `json:"stream,omitempty"`
	First   model.Time `json:"first"` // of its events
}

// firsts are the times of the first events of series, without times.
type firsts map[knownSeries]model.Time

func seriesLine(l *listed) knownSeries {
	return knownSeries{Kind: l.Kind.Name, Subject: l.Subject, Stream: l.Stream}
}

// newHistory returns the partitions of complete files, each with the series that the earlier export did not
// know to have events there. It returns none if that export kept no list.
func (a *Archive) newHistory(all []listed, known map[string]Part, before firsts) (found []partition) {
	if before == nil {
		return nil
	}
	for _, p := range a.partitions(all) {
		if !known[p.path()].Complete {
			continue
		}
		var fresh []listed
		for i := range p.series {
			l := &p.series[i]
			if first, had := before[seriesLine(l)]; p.covers(l) && (!had || first >= p.to) {
				fresh = append(fresh, *l)
			}
		}
		for _, taken := known[p.path()]; taken; _, taken = known[p.path()] {
			p.number++
		}
		if p.series = fresh; len(fresh) > 0 {
			found = append(found, p)
		}
	}
	return found
}

// storeSeries writes the list of the series that an export knew, beside the list of the earlier manifest,
// which counts until the new manifest is written.
func (m *Manifest) storeSeries(ctx context.Context, folder files.Folder, earlier *Manifest,
	all []listed) error {
	m.Series = m.Dataset + "/_series-a.ndjson"
	if earlier != nil && earlier.Series == m.Series {
		m.Series = m.Dataset + "/_series-b.ndjson"
	}
	return folder.Create(ctx, m.Series, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		for i := range all {
			line := seriesLine(&all[i])
			line.First = all[i].listedFirst
			if err := encoder.Encode(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// readKnownSeries reads the list of a manifest; nil if it has none.
func readKnownSeries(ctx context.Context, folder files.Folder, m *Manifest) (firsts, error) {
	if m == nil || m.Series == "" {
		return nil, nil
	}
	file, err := folder.Open(ctx, m.Series)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	known := firsts{}
	lines := json.NewDecoder(bufio.NewReader(file))
	for {
		var line knownSeries
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return known, nil
		} else if err != nil {
			const remedy = "delete it, and export with --full to find history of new series"
			return nil, fmt.Errorf("read %s: %w: %s", m.Series, err, remedy)
		}
		first := line.First
		line.First = 0
		known[line] = first
	}
}
