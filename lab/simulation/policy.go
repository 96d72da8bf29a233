package simulation

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Counts of changes of the configuration.
const (
	policyApplied    = "configurations applied"
	policyRolledBack = "configurations rolled back"
	policyRefused    = "configurations refused"
)

// applyPolicy applies a declared policy to the table, as a deployment does, and then calls applied.
func (w *world) applyPolicy(name string, p tier.Policy, d simstream.Dice, applied func()) {
	if _, err := catalog.New(w.drawKind(p)); err != nil || w.changing() {
		return
	}
	w.Go(name+" config apply", d, func(ctx context.Context) {
		w.applying = true
		defer func() { w.applying = false }()
		switch _, err := w.changer(p, d).Apply(ctx); {
		case errors.Is(err, tableconfig.ErrRefused):
			w.Count(policyRefused)
			w.Logf("", "refused: %v", err)
			return
		case err != nil:
			w.Logf("", "not applied: %v", err)
			return
		}
		before := w.declared[len(w.declared)-1]
		w.declared = append(w.declared, p)
		w.countModes(before, p)
		w.load(p)
		w.Count(policyApplied)
		applied()
		if before.HasDeferred() {
			w.After(overlap+time.Minute, func() { w.endDeferral(d.Part("end deferral"), 40) })
		}
	})
}

// changing reports whether the configuration changes, or old code still runs by an earlier one.
func (w *world) changing() bool { return w.applying || w.before != nil }

// load makes the processes that begin from now on run by the configuration of the table. For
// an hour, others run by the one before. It returns whether there is a difference.
func (w *world) load(p tier.Policy) (changed bool) {
	kinds := newCatalog(w.drawKind(p))
	if err := tableconfig.Load(context.Background(), w.table, kinds, w.Now()); err != nil {
		w.Fail(err) // what is applied must be possible to start with
		return false
	}
	if reflect.DeepEqual(kinds.Kinds[0].Retention, w.kind().Retention) {
		return false
	}
	w.before, w.now = w.now, kinds
	w.Logf("", "the retention policy of the table becomes %+v", w.kind().Retention)
	w.After(overlap, func() { w.before = nil })
	return true
}

// applyFirst applies a policy to the new table.
func (w *world) applyFirst(p tier.Policy) {
	a := &tableconfig.Applier{
		Table: w.table, Queue: w.table, Now: w.Now, Rand: w.dice.Part("first configuration").Rand(),
		Sweep: func(context.Context, storage.QueueShard) error { return nil },
	}
	if _, err := a.Apply(context.Background(), newCatalog(w.drawKind(p))); err != nil {
		panic(err) // nothing is refused of the first one
	}
	w.declared = []tier.Policy{p}
}

// overlap is how long two versions of the code run at the same time.
const overlap = tableconfig.Lead

// changePolicy declares another policy: one of the changes below, or an earlier policy again.
func (w *world) changePolicy(name string, d simstream.Dice, _ model.Time) {
	if back := d.Chance("roll back", .25); back && len(w.declared) > 1 {
		w.applyPolicy(name, w.declared[d.Pick("to", len(w.declared)-1)], d, func() { w.Count(policyRolledBack) })
		return
	}
	last := w.declared[len(w.declared)-1]
	next := changed(last, d)
	if w.mayDefer && d.Chance("mode", .35) {
		next = otherMode(last, d)
	}
	w.applyPolicy(name, next, d, func() {})
}

// changed returns the policy with another retention of one tier or of raw, with a minute tier,
// or without its finest tier.
func changed(p tier.Policy, d simstream.Dice) tier.Policy {
	p.Tiers = append([]tier.Tier(nil), p.Tiers...)
	finest := p.Tiers[0]
	switch change := d.Pick("change", 10); {
	case change < 3 && finest.Unit == tier.Hour:
		minute := tier.Tier{Unit: tier.Minute, Retention: p.Raw + 4*tier.Day24, Deferred: finest.Deferred}
		p.Tiers = append([]tier.Tier{minute}, p.Tiers...)
	case change < 5 && len(p.Tiers) > 1:
		p.Tiers = p.Tiers[1:]
	case change < 6:
		p.Raw *= 2
	default:
		t := &p.Tiers[d.Pick("tier", len(p.Tiers))]
		if t.Retention != tier.Forever {
			t.Retention = t.Retention / time.Duration(1+d.Pick("shorter", 3)) * time.Duration(1+d.Pick("longer", 3))
		}
	}
	return p
}
