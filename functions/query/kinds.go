package main

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// describedKind is a kind in x-tidemark-kinds of the OpenAPI description, for programs that show any
// kind: what is kept, and which fields are counted.
type describedKind struct {
	Kind       string          `json:"kind"`
	Subjects   string          `json:"subjects"` // in paths: /v1/{subjects}/{id}/{path}
	Path       string          `json:"path"`
	Tiers      []describedTier `json:"tiers"` // raw events, then rollups, finest first
	Dimensions []string        `json:"dimensions"`
	Distinct   []string        `json:"distinct"`
	SessionsOf string          `json:"sessionsOf,omitempty"` // the kind whose events its sessions are made of
}

// describedTier is what is kept of a kind. Times are in seconds.
type describedTier struct {
	Tier      string `json:"tier"`
	Retention *int64 `json:"retention"` // null: for ever
	Deferred  bool   `json:"deferred"`
	Grace     int64  `json:"grace"` // a deferred bucket closes this long after its end
}

// describeKinds describes the kinds of a catalog, with the retentions that hold in the table.
func describeKinds(c *catalog.Catalog) []describedKind {
	all := make([]describedKind, len(c.Kinds))
	for i := range c.Kinds {
		k := &c.Kinds[i]
		d := describedKind{k.Name, k.Subject.Path, k.Path, tiersOf(k), []string{}, append([]string{}, k.Distinct...), ""}
		for _, dimension := range k.Dimensions {
			d.Dimensions = append(d.Dimensions, dimension.Name)
		}
		if k.Sessions != nil {
			d.SessionsOf = k.Sessions.Of
		}
		all[i] = d
	}
	return all
}

func tiersOf(k *catalog.Kind) (all []describedTier) {
	if k.HasEvents() {
		all = append(all, describedTier{Tier: "raw", Retention: seconds(k.Retention.Raw)})
	}
	for _, t := range k.Retention.Tiers {
		all = append(all, describedTier{Tier: t.Unit.String(), Retention: seconds(t.Retention), Deferred: t.Deferred, Grace: int64(t.Grace / time.Second)})
	}
	return all
}

// seconds returns a retention in seconds, nil for ever.
func seconds(d time.Duration) *int64 {
	if d == tier.Forever {
		return nil
	}
	return new(int64(d / time.Second))
}
