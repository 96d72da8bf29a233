package promapi

import (
	"context"
	"errors"
	"sync"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// listings are the parts of the list of series that a request has read: its selectors read each part once.
type listings struct {
	owner httpapi.Owner // of the caller: only the owner's series are listed
	mu    sync.Mutex    // guards read and size
	read  map[model.Subject][]storage.ListedSeries
	size  int // entries of all parts
}

type listingsKey struct{}

func withListings(ctx context.Context, owner httpapi.Owner) context.Context {
	return context.WithValue(ctx, listingsKey{}, &listings{
		owner: owner, read: map[model.Subject][]storage.ListedSeries{},
	})
}

var errNoListings = errors.New("the context of the query has no caller")

// listed returns the listed series of a subject, or without an id of all subjects of a type, as far as the
// caller's owner owns them. Beyond maxListed entries in all parts of a request, it returns an error.
func (a *API) listed(ctx context.Context, of model.Subject) ([]storage.ListedSeries, error) {
	l, ok := ctx.Value(listingsKey{}).(*listings)
	if !ok {
		return nil, errNoListings
	}
	if of.ID != "" && !l.owner.Owns(of.ID) {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	found, known := l.read[of]
	if known {
		return found, nil
	}
	for one, err := range a.Query.EachSeries(ctx, query.SeriesList{Subject: of, Prefix: l.owner.Prefix()}) {
		if err != nil {
			return nil, err
		}
		if l.size++; l.size > maxListed {
			return nil, beyond("more than %d listed series: name one subject, as in {subject=\"sensor_01\"}, or the kind", maxListed)
		}
		found = append(found, one)
	}
	l.read[of] = found
	return found, nil
}
