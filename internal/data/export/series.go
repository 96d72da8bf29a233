package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Source reads a table. It is safe for concurrent use.
type Source struct {
	Query   *query.Service // its Store folds open buckets: query.Live
	Catalog *catalog.Catalog
	Kinds   []*catalog.Kind // to export; empty means all
	// Subjects are those to export, where one without an id is all of its type; empty means all.
	Subjects []model.Subject
	// Parallel is how many series are read at the same time; zero means one.
	Parallel int
}

// listed is a series with the times between which it has events.
type listed struct {
	query.Series
	first, last model.Time
	listedFirst model.Time // first as the list of series has it; readEvents moves first
}

// series returns the listed series of the kinds, sorted by kind, subject and stream. This list
// is the only part of an export that is held in memory: about 100 bytes a series. The error is a usage error
// if the subjects have none.
func (s Source) series(ctx context.Context) (all []listed, err error) {
	subjects := s.Subjects
	if len(subjects) == 0 {
		for _, k := range s.Catalog.Kinds {
			subjects = append(subjects, model.Subject{Type: k.Subject.Name})
		}
	}
	for i, subject := range subjects {
		if slices.Contains(subjects[:i], subject) {
			continue
		}
		if all, err = s.addSubjects(ctx, all, subject); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 && len(s.Subjects) > 0 {
		return nil, s.noSeries(ctx)
	}
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(strings.Compare(a.Kind.Name, b.Kind.Name), strings.Compare(a.Subject, b.Subject),
			strings.Compare(a.Stream, b.Stream))
	})
	return once(all), nil
}

// noSeries returns the error of subjects without a listed series: the list has a series when its first event
// is processed.
func (s Source) noSeries(ctx context.Context) error {
	subject := s.Subjects[0]
	of, _ := s.Catalog.SubjectType(subject.Type)
	name := strings.TrimSuffix(of.Path+"/"+subject.ID, "/")
	if subject.ID != "" {
		selected := s.Catalog
		if len(s.Kinds) > 0 {
			kinds := lists.Map(s.Kinds, func(k *catalog.Kind) catalog.Kind { return *k })
			selected = &catalog.Catalog{Kinds: kinds}
		}
		waiting, err := s.Query.HasEvents(ctx, selected, subject)
		if err != nil {
			return err
		}
		if waiting {
			return fmt.Errorf("%s: not known: its events are stored, and none is processed yet: "+
				"export them later", name)
		}
	}
	return usererr.Errorf("%s: no events of these kinds: \"tidemark ls\" lists what is stored", name)
}

// once returns each series once, with the times of all its entries: sessions are listed themselves, and have
// an entry by the series from which they are cut.
func once(sorted []listed) (all []listed) {
	for _, l := range sorted {
		n := len(all)
		if n == 0 || all[n-1].Series.Kind.Name != l.Kind.Name || all[n-1].Subject != l.Subject ||
			all[n-1].Stream != l.Stream {
			all = append(all, l)
			continue
		}
		last := &all[n-1]
		last.first = min(last.first, l.first)
		last.last = max(last.last, l.last)
		last.listedFirst = min(last.listedFirst, l.listedFirst)
	}
	return all
}

func (s Source) addSubjects(ctx context.Context, all []listed, of model.Subject) ([]listed, error) {
	for l, err := range s.Query.EachSeries(ctx, query.SeriesList{Subject: of}) {
		if err != nil {
			return nil, err
		}
		if l.Series.Kind == "" {
			continue // a profile
		}
		kinds, err := s.selectKinds(l.Series.Kind)
		if err != nil {
			return nil, err
		}
		for _, k := range kinds {
			all = append(all, listed{
				Series: query.Series{Kind: k, Subject: l.Series.Subject.ID, Stream: l.Series.Stream},
				first:  l.First, last: l.Last, listedFirst: l.First,
			})
		}
	}
	return all, nil
}

// selectKinds returns the selected kinds that a listed series has rollups of: its own kind, and the
// kinds of its sessions, which are listed themselves only when the first of them was cut.
func (s Source) selectKinds(name string) (selected []*catalog.Kind, err error) {
	kind, ok := s.Catalog.Kind(name)
	if !ok && len(s.Kinds) == 0 {
		return nil, usererr.Errorf(
			"the table has series of kind %s, which the configuration does not declare: pass the "+
				"tidemark.yaml of this table with --config, or name the kinds to export with --kind", name)
	}
	if !ok {
		return nil, nil
	}
	for _, k := range append([]*catalog.Kind{kind}, s.Catalog.SessionKinds(name)...) {
		if k != kind && k.Sessions.Of != name { // another kind has the same sessions
			continue
		}
		if len(s.Kinds) == 0 || slices.ContainsFunc(s.Kinds, func(x *catalog.Kind) bool {
			return x.Name == k.Name
		}) {
			selected = append(selected, k)
		}
	}
	return selected, nil
}
