package promapi

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// listedFor is how long a part of the list of series is used after it was read. A series that appears
// meanwhile has no sample before its first bucket closes, unless its events were imported.
const listedFor = time.Minute

// part is a part of the list of series: of one subject, or without an id of all subjects of a type that the
// owner owns. A caller is served from the parts of its own owner only.
type part struct {
	owner   httpapi.Owner
	subject model.Subject
}

// listings are the parts of the list of series that were read in the last minute. The zero value is empty. It
// is safe for concurrent use.
type listings struct {
	mu   sync.Mutex
	read map[part]listing // guarded by mu
}

type listing struct {
	readAt model.Time
	series []storage.ListedSeries
}

func (l *listings) get(of part, now model.Time) ([]storage.ListedSeries, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, known := l.read[of]
	return found.series, known && found.isRecent(now)
}

// put stores a part, and forgets the old ones.
func (l *listings) put(of part, now model.Time, series []storage.ListedSeries) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.read, func(_ part, found listing) bool { return !found.isRecent(now) })
	if l.read == nil {
		l.read = map[part]listing{}
	}
	l.read[of] = listing{readAt: now, series: series}
}

func (l listing) isRecent(now model.Time) bool {
	return l.readAt <= now && now < l.readAt.Add(listedFor)
}

type ownerKey struct{}

// withOwner returns a context for the queries of a caller, who finds the series of the owner only.
func withOwner(ctx context.Context, owner httpapi.Owner) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

var errNoCaller = errors.New("the context of the query has no caller")

// listed returns the listed series of the subjects of a type that the matchers name, or of all of the type,
// as far as the caller's owner owns them.
func (a *API) listed(
	ctx context.Context, subjectType string, matchers []*labels.Matcher,
) ([]storage.ListedSeries, error) {
	owner, ok := ctx.Value(ownerKey{}).(httpapi.Owner)
	if !ok {
		return nil, errNoCaller
	}
	all := part{owner: owner, subject: model.Subject{Type: subjectType}}
	names := namedSubjects(matchers)
	_, known := a.listings.get(all, a.Query.Now())
	if known || len(names) == 0 || len(names) > maxSeries {
		return a.part(ctx, all)
	}
	found := make([][]storage.ListedSeries, len(names))
	var size atomic.Int64
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(concurrentReads)
	for i, name := range names {
		if !owner.Owns(name) {
			continue
		}
		reads.Go(func() (err error) {
			found[i], err = a.part(ctx, part{owner: owner, subject: model.Subject{Type: subjectType, ID: name}})
			if err == nil && size.Add(int64(len(found[i]))) > maxListed {
				return errListed(subjectType)
			}
			return err
		})
	}
	err := reads.Wait()
	return slices.Concat(found...), err
}

// namedSubjects returns the subjects that a matcher names, as subject="a" and subject=~"a|b" do, each once;
// nil if none does.
func namedSubjects(matchers []*labels.Matcher) []string {
	for _, m := range matchers {
		switch {
		case m.Name != labelSubject || m.Matches(""):
		case m.Type == labels.MatchEqual:
			return []string{m.Value}
		case m.Type == labels.MatchRegexp && len(m.SetMatches()) > 0:
			names := slices.Clone(m.SetMatches())
			slices.Sort(names)
			return slices.Compact(names)
		}
	}
	return nil
}

// part returns the listed series of a part. Beyond maxListed entries, it returns an error.
func (a *API) part(ctx context.Context, of part) ([]storage.ListedSeries, error) {
	now := a.Query.Now()
	found, known := a.listings.get(of, now)
	if known {
		return found, nil
	}
	list := query.SeriesList{Subject: of.subject, Prefix: of.owner.Prefix()}
	for one, err := range a.Query.EachSeries(ctx, list) {
		if err != nil {
			return nil, err
		}
		if found = append(found, one); len(found) > maxListed {
			return nil, errListed(of.subject.Type)
		}
	}
	a.listings.put(of, now, found)
	return found, nil
}

func errListed(subjectType string) error {
	return beyond("more than %d listed series of %s: name fewer subjects, "+
		"as in {subject=~\"sensor_01|sensor_02\"}",
		maxListed, subjectType)
}
