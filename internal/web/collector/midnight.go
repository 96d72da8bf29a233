package collector

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// secret returns the secret of a visitor's pseudonym: yesterday's in a visit that began before midnight and
// goes on, for at most ingest.OverMidnight, and today's otherwise. If the visits cannot be read, the failure
// is reported, and the hit is stored as of a new visitor.
func (c *Collector) secret(
	ctx context.Context, r *httpapi.Request, hit Hit, sender Request, arrived model.Time,
) ([]byte, error) {
	today, err := c.Secrets.At(ctx, arrived)
	midnight := tier.Day.BucketAt(arrived).Start
	if err != nil || c.Index == nil || sender.Stream() != "" || arrived >= midnight.Add(ingest.OverMidnight) {
		return today, err
	}
	yesterday, err := c.Secrets.At(ctx, midnight-1)
	if err != nil {
		return nil, err
	}
	at := hit.Time(arrived)
	page, err := c.Index.QueryIndex(ctx, storage.EventIndexQuery{
		Kind: c.Views.Name, Field: c.Views.IndexBy, Limit: 1,
		Value: Visitor(yesterday, sender.Site, sender.Address, sender.UserAgent),
		From:  at.Add(-c.Gap), To: at.Add(c.Gap) + 1,
	})
	switch {
	case err != nil:
		c.Failed(r, err)
	case len(page.Events) > 0:
		return yesterday, nil
	}
	return today, nil
}
