package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Verifier recounts series from their events.
type Verifier struct {
	Store   Store
	Catalog *catalog.Catalog
	Now     func() model.Time
	// Quick recounts only series in which an audit found a wrong digest.
	Quick bool
	// MaxExplained is for how many findings the events are read that cause them.
	MaxExplained int
	// Progress is called for every audited item and every recounted series; nil to ignore it.
	Progress func(Step)

	buckets *groupBuckets // of one verification
}

// Report is the result of a verification.
type Report struct {
	Audit       *AuditReport // nil unless Quick
	Series      int
	Events      int
	Tiers       []TierCounts // in the order first met: finest first
	Differences []Finding
	Partial     map[string]rollup.AddedFields // by kind: fields that some rows do not include
	Undeclared  []model.Series                // of kinds that the catalog has not: not recounted
	Processed   query.Progress                // of the table, read before the first row
}

// TierCounts counts the findings of one tier.
type TierCounts struct {
	Tier    string
	Status  map[Status]int
	Inexact int // equal rows that say exact: false
	Partial int // rows that do not include a field which was added later
}

// OK reports whether every series could be recounted and no bucket needs repair.
func (r *Report) OK() bool { return len(r.Differences) == 0 && len(r.Undeclared) == 0 }

// Count returns how many buckets have a status.
func (r *Report) Count(s Status) (n int) {
	for _, t := range r.Tiers {
		n += t.Status[s]
	}
	return n
}

// Checked reports whether there was anything to check.
func (r *Report) Checked() bool { return len(r.Tiers) > 0 || r.Audit != nil && r.Audit.Items > 0 }

// Verify recounts every bucket of a scope, several series at once, and groups after their members. The
// scope's span is widened to whole buckets of the coarsest tier. A bucket of a group that has shares and no
// row is found only in the scope of all subjects.
func (v *Verifier) Verify(ctx context.Context, s Scope) (*Report, error) {
	report := &Report{}
	if table, ok := v.Store.(query.TableStore); ok {
		var err error
		if report.Processed, err = query.TableProgress(ctx, table, v.Catalog); err != nil {
			return nil, fmt.Errorf("read the progress of the table: %w", err)
		}
	}
	all, err := v.choose(ctx, report, s.Subject)
	if err != nil {
		return nil, err
	}
	one := *v
	one.buckets = newGroupBuckets()
	members := lists.Filter(all, func(s model.Series) bool { return !isGroup(s, v.Catalog) })
	if err := one.recountAll(ctx, report, members, s, len(all)); err != nil {
		return nil, err
	}
	groups := slices.DeleteFunc(all, func(s model.Series) bool { return !isGroup(s, v.Catalog) })
	if s.Subject == (model.Subject{}) && !v.Quick {
		groups = one.buckets.with(groups)
	}
	return report, one.recountAll(ctx, report, groups, s, len(members)+len(groups))
}

// recountAll recounts several series at once, and reports them in order.
func (v *Verifier) recountAll(
	ctx context.Context, report *Report, all []model.Series, s Scope, total int,
) error {
	read := func(ctx context.Context, i int) (*recounted, error) { return v.recountSeries(ctx, all[i], s) }
	for one, err := range inOrder(ctx, len(all), recountsAtOnce, read) {
		if err == nil {
			err = v.add(ctx, report, one, s)
		}
		if err != nil {
			return err
		}
		if v.Progress != nil {
			v.Progress(Step{Phase: "verify", Unit: "series", Added: 1, Total: total})
		}
	}
	return nil
}

// recountsAtOnce is how many series are recounted at once. Each holds its rows and folds in memory.
const recountsAtOnce = 8

// choose returns the series to recount: all of the subject, or with Quick those that an audit found suspect.
func (v *Verifier) choose(ctx context.Context, report *Report,
	subject model.Subject) ([]model.Series, error) {
	if !v.Quick {
		all, err := tablescan.Series(ctx, v.Store, v.Catalog, subject)
		if err != nil {
			return nil, fmt.Errorf("find the series: %w", err)
		}
		return all, nil
	}
	auditor := &Auditor{Table: v.Store, Catalog: v.Catalog, Now: v.Now, Progress: v.Progress}
	audited, err := auditor.Run(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("audit the table: %w", err)
	}
	report.Audit = audited
	return audited.Series(), nil
}

// Series returns the series to recount after an audit: those with suspects, and those
// that it could not audit.
func (r *AuditReport) Series() []model.Series {
	found := map[model.Series]bool{}
	for _, s := range r.Suspects {
		found[s.Key.Series] = true
	}
	for _, s := range r.Undeclared {
		found[s] = true
	}
	return slices.SortedFunc(maps.Keys(found), tablescan.CompareSeries)
}

// recounted is a series that was recounted.
type recounted struct {
	series   model.Series
	declared bool
	events   int
	findings []found
}

// recountSeries recounts one series, and confirms what differs.
func (v *Verifier) recountSeries(ctx context.Context, s model.Series, scope Scope) (*recounted, error) {
	kind, declared := v.Catalog.Kind(s.Kind)
	r := &recounted{series: s, declared: declared}
	if !declared || len(kind.Retention.Tiers) == 0 {
		return r, nil
	}
	one, findings, err := v.counter().recount(ctx, kind, s, scope.Span.widened(kind.Retention))
	if err != nil {
		return nil, err
	}
	r.events = one.events
	r.findings, err = v.counter().confirm(ctx, one, findings)
	if err == nil && !slices.ContainsFunc(r.findings, found.wrong) {
		v.buckets.forget(s)
	}
	return r, err
}

// add adds a recounted series to a report, and explains its first differences.
func (v *Verifier) add(ctx context.Context, report *Report, r *recounted, scope Scope) error {
	if !r.declared {
		report.Undeclared = append(report.Undeclared, r.series)
		return nil
	}
	report.Series++
	report.Events += r.events
	for _, f := range r.findings {
		if !inTier(scope.Tier, f.Finding) {
			continue
		}
		if !f.Status.OK() && len(report.Differences) < v.MaxExplained {
			var err error
			if f.Events, err = f.by.explain(ctx, f.Finding); err != nil {
				return err
			}
		}
		report.add(f.Finding)
	}
	return nil
}

// found is a finding, and the recount that found it.
type found struct {
	Finding
	by *recount
}

// lowWatermarks reads how far the queue shards have been swept. It reads nothing if no kind
// has deferred tiers: then no bucket is open.
func lowWatermarks(ctx context.Context, store any, kinds ...catalog.Kind) (storage.LowWatermarks, error) {
	at := slices.IndexFunc(kinds, func(k catalog.Kind) bool { return k.Retention.HasDeferred() })
	if at < 0 {
		return storage.LowWatermarks{}, nil
	}
	table, ok := store.(query.LowWatermarks)
	if !ok {
		return storage.LowWatermarks{}, fmt.Errorf(
			"the store %T has no low watermarks, which the deferred tiers of kind %s require", store, kinds[at].Name)
	}
	all, err := table.Sweeps(ctx)
	if err != nil {
		return storage.LowWatermarks{}, fmt.Errorf("read low watermarks: %w", err)
	}
	return all, nil
}

func inTier(u tier.Unit, f Finding) bool { return u == 0 || f.Key.Tier == u.String() }

func (r *Report) add(f Finding) {
	name := f.Key.Tier
	if f.Key.Member != "" {
		name += " shares"
	}
	counts := r.tier(name)
	counts.Status[f.Status]++
	if f.Status == Equal && !f.Exact {
		counts.Inexact++
	}
	if len(f.Partial) > 0 && f.Status != Open {
		counts.Partial++
		if r.Partial == nil {
			r.Partial = map[string]rollup.AddedFields{}
		}
		kind := f.Key.Series.Kind
		r.Partial[kind] = r.Partial[kind].Merge(f.Partial)
	}
	if !f.Status.OK() {
		r.Differences = append(r.Differences, f)
	}
}

func (r *Report) tier(name string) *TierCounts {
	i := slices.IndexFunc(r.Tiers, func(t TierCounts) bool { return t.Tier == name })
	if i < 0 {
		i = len(r.Tiers)
		r.Tiers = append(r.Tiers, TierCounts{Tier: name, Status: map[Status]int{}})
	}
	return &r.Tiers[i]
}
