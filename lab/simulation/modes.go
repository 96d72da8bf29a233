package simulation

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Counts of changes between deferred and immediate tiers.
const (
	madeDeferred  = "kinds made deferred"
	madeImmediate = "kinds made immediate"
	deferralEnded = "deferrals ended, after their invalidations were worked off"
)

var _ changeover.Table = operatorsTable{}

// operatorsTable is the table of an operator's command: rollups and the queue with the faults
// of other processes, the configuration without.
type operatorsTable struct {
	production
	tableconfig.Store
}

// changer returns what the commands tidemark config apply and tidemark config immediate use.
func (w *world) changer(p tier.Policy, d simstream.Dice) *changeover.Changer {
	var to changeover.Table = operatorsTable{production{w.store}, w.table}
	if w.variant.change != nil {
		to = w.variant.change(to)
	}
	return &changeover.Changer{
		Table: to, Now: w.Now, MaxAhead: config.Default().Limits.MaxAhead,
		Declare: func() (*catalog.Catalog, error) { return catalog.New(w.drawKind(p)) },
		Limits:  aggregate.Limits{Concurrency: 1}, Sleep: w.Sleep, Rand: d.Part("changer").Rand(),
	}
}

// otherMode returns the policy with immediate tiers if one is deferred, and otherwise with
// deferred tiers from a drawn level on.
func otherMode(p tier.Policy, d simstream.Dice) tier.Policy {
	p.Tiers = append([]tier.Tier(nil), p.Tiers...)
	first, grace := d.Pick("first deferred tier", len(p.Tiers)),
		d.Span("grace", 10*time.Minute).Truncate(time.Second)
	deferred := p.HasDeferred()
	if p.LateEvery = 0; !deferred {
		p.LateEvery = lateEvery(d)
	}
	for level := range p.Tiers {
		t := &p.Tiers[level]
		if t.Deferred, t.Grace = !deferred && level >= first, 0; t.Deferred {
			t.Grace = grace
		}
	}
	return p
}

// countModes counts how a configuration changes the tiers.
func (w *world) countModes(before, after tier.Policy) {
	switch {
	case after.HasDeferred() && !before.HasDeferred():
		w.Count(madeDeferred)
	case before.HasDeferred() && !after.HasDeferred():
		w.Count(madeImmediate)
	}
}

// endDeferral lets readers use the rows of tiers that are immediate again, as soon as no
// process leaves buckets to a sweep any more. It is repeated until it succeeds. An operator runs it
// with the newest declaration: another one may have been applied since it was scheduled.
func (w *world) endDeferral(d simstream.Dice, tries int) {
	again := func() {
		if tries > 0 {
			w.After(10*time.Minute, func() { w.endDeferral(d.Part("again", tries), tries-1) })
		}
	}
	if w.changing() {
		again()
		return
	}
	w.Go("config immediate", d, func(ctx context.Context) {
		w.applying = true
		defer func() { w.applying = false }()
		p := w.declared[len(w.declared)-1]
		worked, err := w.changer(p, d).EndDeferral(ctx, kindName)
		w.Logf("config immediate", "worked off %d: %v", worked, err)
		if early := new(changeover.TooEarlyError); err != nil && !errors.As(err, &early) {
			again()
			return
		}
		if w.load(p) {
			w.Count(deferralEnded)
		}
	})
}
