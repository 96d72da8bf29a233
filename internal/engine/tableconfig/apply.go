package tableconfig

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Reader reads the table's configuration of a kind, strongly consistent; nil if none was applied.
type Reader interface {
	KindConfig(ctx context.Context, kind string) (*storage.KindConfig, error)
}

// Store also writes it, on condition that the stored revision is prev. The zero prev
// requires that none is stored.
type Store interface {
	Reader
	PutKindConfig(ctx context.Context, c storage.KindConfig, prev [16]byte) (storage.WriteResult, error)
	Partition(ctx context.Context, pk string, after keys.Key) ([]item.Item, keys.Key, error)
	DeleteItem(ctx context.Context, key keys.Key) error
}

// Load applies the table's configuration to the kinds of a process: the table's tiers, retentions and fields
// of rollups replace the declared ones. A kind that was not applied yet stays as declared. The error wraps
// ErrRefused if a declaration does not fit the table. kinds must not be in use yet.
func Load(ctx context.Context, table Reader, kinds *catalog.Catalog, now model.Time) error {
	work, ctx := errgroup.WithContext(ctx)
	for i := range kinds.Kinds {
		work.Go(func() error { return loadKind(ctx, table, &kinds.Kinds[i], now) })
	}
	if err := work.Wait(); err != nil {
		return err
	}
	return linkGoals(kinds)
}

// loadKind is Load for one kind.
func loadKind(ctx context.Context, table Reader, k *catalog.Kind, now model.Time) error {
	stored, err := table.KindConfig(ctx, k.Name)
	if err != nil {
		return fmt.Errorf("read the table's configuration: %w", err)
	}
	if stored == nil {
		return hideUnapplied(ctx, table, k)
	}
	if refused := Refused(stored, k, now); len(refused) > 0 {
		return refusedError(refused)
	}
	if k.Retention, err = Policy(stored); err == nil {
		k.FoldBy(Spec(stored, k, now))
		k.Goals, err = decodeGoals(stored, now)
	}
	return err
}

// Applier applies a declared configuration to the table. It is safe to run repeatedly, and beside others.
type Applier struct {
	Table    Store
	Now      func() model.Time
	MaxAhead time.Duration // how far event times may be ahead
	Rand     io.Reader     // nil means crypto/rand
	DryRun   bool          // writes nothing
	// Retired names kinds whose configuration is deleted, because they are no longer declared
	// and the last of their items has expired.
	Retired []string
	// Sweep sweeps one queue shard, so that it has a low watermark before a tier becomes deferred: without
	// one, readers would fold all its buckets. Required if a tier can become deferred.
	Sweep func(ctx context.Context, shard storage.QueueShard) error
	// Queue is the table's queue. Required with Sweep.
	Queue QueueStore
}

// Applied is what Apply did for one kind.
type Applied struct {
	Kind    string
	Changed bool
	Retired bool               // the configuration was deleted, or would be
	Config  storage.KindConfig // as stored, or as it would be
}

// String says what was done, and when new tiers begin.
func (a Applied) String() string {
	if a.Retired {
		return a.Kind + ": retired"
	}
	if !a.Changed {
		return fmt.Sprintf("%s: unchanged since %s", a.Kind, a.Config.AppliedAt)
	}
	text := a.Kind + ": applied"
	if a.Config.AppliedAt == 0 {
		text = a.Kind + ": would be applied"
	}
	for _, t := range a.Config.Tiers {
		if t.From > a.Config.AppliedAt && t.RemovedAt == 0 {
			text += fmt.Sprintf("\n%s: tier %s has rows from %s", a.Kind, t.Unit, t.From)
		}
		switch {
		case t.RemovedAt != 0:
		case t.ImmediateAt != 0:
			text += fmt.Sprintf("\n%s: tier %s is immediate: from %s on, tidemark config immediate %s "+
				"lets readers use its rows", a.Kind, t.Unit, t.ImmediateAt.Add(Lead), a.Kind)
		case t.DeferredFrom > a.Config.AppliedAt:
			text += fmt.Sprintf("\n%s: tier %s is deferred from %s", a.Kind, t.Unit, t.DeferredFrom)
		}
	}
	for _, f := range slices.Concat(a.Config.Measures, a.Config.Dimensions, a.Config.Distinct) {
		added := []model.Time{f.Since, f.PercentilesSince, f.StepsSince}
		if at := a.Config.AppliedAt; at != 0 && slices.Contains(added, at) {
			text += fmt.Sprintf("\n%s: %s is complete from %s: tidemark rebuild --fields %s recomputes earlier rows",
				a.Kind, f.Name, at, a.Kind)
		}
	}
	return text
}

// Apply applies the kinds: those with the names, or all if there are no names. If a change of
// any kind is refused, it writes nothing and returns an error that wraps ErrRefused.
func (a *Applier) Apply(ctx context.Context, kinds *catalog.Catalog, names ...string) ([]Applied, error) {
	refused, retired, err := a.removed(ctx, kinds)
	if err != nil {
		return nil, err
	}
	fresh := map[string]bool{} // kinds of which nothing was applied before
	for i := range kinds.Kinds {
		stored, err := a.Table.KindConfig(ctx, kinds.Kinds[i].Name)
		if err != nil {
			return nil, fmt.Errorf("read the table's configuration: %w", err)
		}
		fresh[kinds.Kinds[i].Name] = stored == nil
		if stored != nil {
			refused = append(refused, Refused(stored, &kinds.Kinds[i], a.Now())...)
		}
	}
	if len(refused) > 0 {
		return nil, refusedError(refused)
	}
	all, err := a.retire(ctx, retired)
	if err != nil {
		return all, err
	}
	for i := range kinds.Kinds {
		if len(names) > 0 && !slices.Contains(names, kinds.Kinds[i].Name) {
			continue
		}
		one, err := a.apply(ctx, &kinds.Kinds[i], fresh)
		if err != nil {
			return all, fmt.Errorf("apply the configuration of kind %s: %w", kinds.Kinds[i].Name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

func (a *Applier) apply(ctx context.Context, k *catalog.Kind, fresh map[string]bool) (Applied, error) {
	swept := false
	return a.change(ctx, k.Name, func(stored *storage.KindConfig) (storage.KindConfig, model.Time, error) {
		now := a.Now()
		next, refused := Next(stored, k, now, a.MaxAhead)
		if stored == nil && k.GroupsOf != "" && !fresh[k.GroupsOf] {
			beginLater(&next, now.Add(Lead+a.MaxAhead))
		}
		if len(refused) == 0 && !swept && !a.DryRun && becomesDeferred(stored, next) {
			swept = true
			if err := a.sweep(ctx); err != nil {
				return next, now, err
			}
			now = a.Now() // the times of a configuration count from its write
			next, refused = Next(stored, k, now, a.MaxAhead)
		}
		if len(refused) > 0 {
			return next, now, refusedError(refused)
		}
		return next, now, nil
	})
}

// Drained makes readers use the rows of the tiers of a kind that are immediate again. Call it
// when their invalidations have been worked off at or after the time that DrainFrom returns.
func (a *Applier) Drained(ctx context.Context, kind string) (Applied, error) {
	return a.change(ctx, kind, func(stored *storage.KindConfig) (storage.KindConfig, model.Time, error) {
		if stored == nil {
			return storage.KindConfig{}, 0, fmt.Errorf("the table has no configuration of kind %s", kind)
		}
		return drained(*stored), a.Now(), nil
	})
}

// change replaces the stored configuration of a kind by the one that next returns, with the time at which it
// is applied. next is called again if another process has changed it meanwhile.
func (a *Applier) change(ctx context.Context, kind string,
	next func(stored *storage.KindConfig) (c storage.KindConfig, at model.Time, err error),
) (done Applied, _ error) {
	random := a.Rand
	if random == nil {
		random = rand.Reader
	}
	r := retry.Retrier{Rand: random}
	err := r.UntilWritten(ctx, func(error) bool { return false },
		func(ctx context.Context) (storage.WriteResult, error) {
			stored, err := a.Table.KindConfig(ctx, kind)
			if err != nil {
				return storage.Unknown, err
			}
			c, at, err := next(stored)
			if err != nil {
				return storage.Unknown, err
			}
			done = Applied{Kind: kind, Config: c}
			if stored != nil && reflect.DeepEqual(*stored, c) {
				return storage.Written, nil
			}
			if a.DryRun {
				c.AppliedAt = 0
				done = Applied{Kind: kind, Changed: true, Config: c}
				return storage.Written, nil
			}
			prev := c.Rev
			if c.Rev, err = ids.Nonce(random); err != nil {
				return storage.Unknown, err
			}
			c.AppliedAt = at
			done = Applied{Kind: kind, Changed: true, Config: c}
			return a.Table.PutKindConfig(ctx, c, prev)
		})
	return done, err
}

// sweep sweeps every queue shard.
func (a *Applier) sweep(ctx context.Context) error {
	if a.Sweep == nil {
		return errors.New("a tier becomes deferred, but this program cannot sweep: run tidemark config apply")
	}
	c, err := a.Queue.QueueConfig(ctx)
	if err != nil {
		return fmt.Errorf("read the configuration of the queue: %w", err)
	}
	return a.sweepAll(ctx, c.Generations.Swept())
}
