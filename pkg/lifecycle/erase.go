package lifecycle

import (
	"context"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// class is one class of a subject's items.
type class struct {
	name   string // in counts
	prefix string // of the sort key
	exact  bool   // the prefix is all of it
	holds  bool   // its items say which unique values they hold
}

// The names of what no partition of a subject holds.
const (
	classQuarantine = "quarantine"
	classSentinels  = "unique values"
)

// classes are all that is ours in a subject's partitions, in the order in which it
// goes. Events go first, then rows, finest first, so that a fold that comes between
// finds nothing left and writes no row that would have to go again. The profile and its
// tombstone go last, since they say which unique values are to be let go.
var classes = []class{
	{name: "events", prefix: keys.EventPrefix},
	{name: "rollups", prefix: keys.RowPrefix(tier.Minute.String())},
	{name: "rollups", prefix: keys.RowPrefix(tier.Hour.String())},
	{name: "rollups", prefix: keys.RowPrefix(tier.Day.String())},
	{name: "rollups", prefix: keys.RowPrefix(tier.Month.String())},
	{name: "rollups", prefix: keys.RowsPrefix}, // of tiers that this program does not know
	{name: "alerts", prefix: keys.AlertPrefix},
	{name: "notices of alerts", prefix: keys.NoticePrefix},
	{name: "alert rules", prefix: keys.RulePrefix}, // and how far they were tested
	{name: "currents", prefix: keys.CurrentPrefix},
	{name: "versions", prefix: keys.VersionPrefix, holds: true},
	{name: "tombstone", prefix: keys.DeletedPrefix, holds: true},
	{name: "profile", prefix: keys.ClassMetadata, exact: true, holds: true},
}

// has reports whether an item is of the class, and to be erased. An empty row is not:
// it holds no measures and goes by itself within a day; until then it keeps a fold
// under way that read its bucket as absent from writing there.
func (c class) has(it item.Item) bool {
	sk := it.Key().SK
	if c.exact && sk != c.prefix || !strings.HasPrefix(sk, c.prefix) {
		return false
	}
	return !it[keys.AttrEmpty].Bool
}

// erase removes everything of the subject, once through.
func (p *Purger) erase(ctx context.Context, at *model.Purge) error {
	e := eraser{Purger: p, at: at, released: map[held]bool{}}
	for _, partition := range keys.SubjectPartitions(at.Subject, p.Shards) {
		probe, err := p.Store.List(ctx, Listing{Partition: partition, Limit: 1})
		if err != nil {
			return err
		}
		if len(probe.Items) == 0 && probe.Next == (Place{}) {
			continue
		}
		for _, c := range classes {
			if err := e.class(ctx, partition, c); err != nil {
				return err
			}
		}
	}
	return e.class(ctx, keys.QuarantinePartition(at.Subject), class{name: classQuarantine})
}

// eraser is one pass over a subject.
type eraser struct {
	*Purger
	at       *model.Purge
	released map[held]bool // sentinels that were let go already
}

// held is a sentinel as a life held it.
type held struct {
	partition string
	life      model.Life
}

func (e *eraser) class(ctx context.Context, partition string, c class) error {
	return e.pages(ctx, Listing{Partition: partition, Prefix: c.prefix}, func(page []item.Item) error {
		if err := e.release(ctx, c, page); err != nil {
			return err
		}
		if n, err := e.items(ctx, c, page); err != nil || n == 0 {
			return err
		}
		return e.checkpoint(ctx)
	})
}

// items erases those of a page that are of the class, some a request.
func (e *eraser) items(ctx context.Context, c class, page []item.Item) (erased int, err error) {
	var these []keys.Key
	var bytes int64
	flush := func() error {
		err := e.insistErase(ctx, these)
		if err == nil {
			e.at.Count(c.name, int64(len(these)), bytes)
			erased += len(these)
		}
		these, bytes = nil, 0
		return err
	}
	for _, it := range page {
		if !c.has(it) {
			continue
		}
		these, bytes = append(these, it.Key()), bytes+int64(it.Size())
		if len(these) == MaxErase {
			if err := flush(); err != nil {
				return erased, err
			}
		}
	}
	if len(these) == 0 {
		return erased, nil
	}
	return erased, flush()
}

// insistErase repeats a request until the server has come to all of it. What was
// removed already is removed again without harm.
func (e *eraser) insistErase(ctx context.Context, these []keys.Key) error {
	for n, attempt := len(these), 1; n > 0; {
		var left []keys.Key
		_, err := e.waiter().Insist(ctx, func(ctx context.Context) (answer model.Answer, err error) {
			left, answer, err = e.Store.Erase(ctx, these)
			return answer, err
		})
		if err != nil {
			return err
		}
		done := n - len(left)
		these, n = left, len(left)
		if err := e.pace(ctx, done); err != nil {
			return err
		}
		if done > 0 {
			attempt = 1
			continue
		}
		if attempt++; attempt > e.Patience.Most() {
			return retry.ErrUndecided
		}
		if err := e.waiter().Pause(ctx, attempt); err != nil {
			return err
		}
	}
	return nil
}

// pace keeps the rate.
func (e *eraser) pace(ctx context.Context, erased int) error {
	if e.Rate <= 0 || erased == 0 {
		return nil
	}
	return e.waiter().Rest(ctx, time.Duration(erased)*time.Second/time.Duration(e.Rate))
}

// checkpoint remembers what was counted, and keeps the gate shut.
func (e *eraser) checkpoint(ctx context.Context) error {
	if open, err := e.hold(ctx, e.at); err != nil || open {
		if open {
			return errOther
		}
		return err
	}
	was := *e.at
	if err := e.save(ctx, e.at, Condition{asRead(&was)}); err != nil {
		return err
	}
	e.tell(e.at)
	return nil
}

// release lets the unique values go that profiles, tombstones and versions on a page
// say they held. Those that another owner or another life holds by now stay.
func (e *eraser) release(ctx context.Context, c class, page []item.Item) error {
	for _, it := range page {
		for _, h := range c.heldBy(it) {
			if e.released[h] {
				continue
			}
			reply, err := e.waiter().commit(ctx, e.Store, []Action{
				{Key: keys.UniqueIn(h.partition), When: ours(e.at.Subject, h.life), Delete: true},
			})
			if err != nil {
				return err
			}
			if reply.Answer == model.Written {
				size := len(h.partition) + len(keys.SubjectPartition(e.at.Subject))
				e.at.Count(classSentinels, 1, int64(size))
			}
			e.released[h] = true
		}
	}
	return nil
}

// heldBy are the unique values that an item says its life held.
func (c class) heldBy(it item.Item) (all []held) {
	if !c.holds {
		return nil
	}
	p, err := item.Profile(it)
	if err != nil {
		p, err = item.Tombstone(it)
	}
	if err != nil {
		v, _ := item.ProfileVersion(it)
		p = v.Profile
	}
	for _, partition := range p.Sentinels {
		all = append(all, held{partition, p.Life})
	}
	return all
}
