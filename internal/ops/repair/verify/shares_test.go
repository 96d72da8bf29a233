package verify

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// shareKey returns the key of the share of a member in the hour of a site.
func shareKey(id, of string) rollup.Key {
	group := site
	group.Subject.ID = of
	return rollup.Key{Series: group, Tier: "hour", Start: tested14,
		Member: tablekeys.Member(model.Subject{Type: "DEVICE", ID: id})}
}

func (f *fleet) share(key rollup.Key) *rollup.Row {
	f.Helper()
	share, err := f.Row(f.Context(), key)
	if err != nil || share == nil {
		f.Fatalf("share %v: %v, %v", key, share, err)
	}
	return share
}

func (f *fleet) putShare(share *rollup.Row) {
	f.Helper()
	it, err := item.FromRow(share)
	if err == nil {
		err = f.PutItem(f.Context(), it)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// refold lets the sweep fold the group from its shares as they are.
func (f *fleet) refold(of string) {
	f.Helper()
	group := site
	group.Subject.ID = of
	f.notify(group, tested14)
	f.at = f.at.Add(15 * time.Minute)
	f.sweep()
}

// purge purges member b.
func (f *fleet) purge() {
	f.Helper()
	b := model.Subject{Type: "DEVICE", ID: "b"}
	p := &lifecycle.Purger{Store: f.Table, Now: f.now, Rand: rand.NewChaCha8([32]byte{2}),
		Sleep: func(ctx context.Context, d time.Duration) error { f.at = f.at.Add(d); return ctx.Err() }}
	if _, err := p.Request(f.Context(), b, "ops", 0); err != nil {
		f.Fatal(err)
	}
	if _, err := p.Run(f.Context(), b); err != nil {
		f.Fatal(err)
	}
}

// move corrects the reading of a member, which was at another site.
func (f *fleet) move(id string) {
	f.Helper()
	before := f.reading(id, "2026-04-20T14:00:00Z")
	after := f.reading(id, "2026-04-20T14:00:00Z")
	after.Attrs[0].Value = model.TextValue("paris")
	after.Hash = model.HashAttrs(after.Attrs)
	if result, err := f.CorrectEvent(f.Context(), after, f.at); err != nil || result != storage.Written {
		f.Fatal(result, err)
	}
	change := storage.Change{Type: storage.Corrected, Key: after.Key(), Before: &before, After: &after}
	if report := f.agg.Process(f.Context(), []storage.Change{change}); len(report.Failures) > 0 {
		f.Fatal(report.Failures[0].Err)
	}
	f.at = f.at.Add(15 * time.Minute)
	f.sweep()
}

// sharesThat returns what a verification finds of shares, by member and status, and of rows.
func (f *fleet) sharesThat() (shares []string, rows int) {
	f.Helper()
	for _, d := range f.verify(Verifier{MaxExplained: 9}, Scope{Span: Always}).Differences {
		if d.Key.Member == "" {
			rows++
			continue
		}
		member, _ := tablekeys.ParseMember(d.Key.Member)
		shares = append(shares, d.Key.Series.Subject.ID+" "+member.ID+" "+string(d.Status))
		if !strings.Contains(d.Detail, member.String()) {
			f.Errorf("detail %q, want the name of the member", d.Detail)
		}
	}
	slices.Sort(shares)
	return shares, rows
}

// The group is folded from the wrong shares in each case, so that its rows equal them.
func TestVerify_FindsSharesThatDifferFromTheEventsOfTheirMembers(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(*fleet)
		want  []string
	}{
		"nothing":         {func(*fleet) {}, nil},
		"a member moved":  {func(f *fleet) { f.move("b") }, nil},
		"a member purged": {(*fleet).purge, nil},
		"a late event":    {func(f *fleet) { f.arriveLate(); f.sweep() }, nil},
		"a share is lost": {
			func(f *fleet) { f.removeShare(tested14); f.refold("berlin") },
			[]string{"berlin b missing"},
		},
		"a digest differs": {
			func(f *fleet) { f.changeShare(func(r *rollup.Row) { r.Digest[0]++ }) },
			[]string{"berlin b differs"},
		},
		"numbers differ": {
			func(f *fleet) {
				kind, _ := f.catalog.Kind(site.Kind)
				f.changeShare(func(r *rollup.Row) { r.Summary = rollup.New(kind.Spec()) })
			},
			[]string{"berlin b differs"},
		},
		"a share of a member that was purged": {
			func(f *fleet) {
				share := f.share(shareKey("b", "berlin"))
				f.purge()
				f.putShare(share)
				f.refold("berlin")
			},
			[]string{"berlin b extra"},
		},
		"a share in the group that a member left": {
			func(f *fleet) {
				share := f.share(shareKey("b", "berlin"))
				f.move("b")
				f.putShare(share)
				f.refold("berlin")
			},
			[]string{"berlin b extra"},
		},
		"a share of a member that never was": {
			func(f *fleet) {
				share := f.share(shareKey("b", "berlin"))
				share.Key = shareKey("ghost", "berlin")
				f.putShare(share)
				f.refold("berlin")
			},
			[]string{"berlin ghost extra"},
		},
		"a share that says it is inexact": {
			func(f *fleet) {
				f.changeShare(func(r *rollup.Row) {
					r.Exact = false
					r.ChildrenExpireAt = 0
					r.Digest[0]++
				})
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t)
			c.plant(f)
			if got, rows := f.sharesThat(); !slices.Equal(got, c.want) || rows > 0 {
				t.Errorf("shares %q and %d rows differ, want %q", got, rows, c.want)
			}
			found, _ := watched(f.fixture, 1e6, "", nil)
			total := 0
			for _, n := range found {
				total += n
			}
			if total != len(c.want) {
				t.Errorf("a watch finds %v, want %d shares", found, len(c.want))
			}
			f.rebuild("berlin", "b")
			if got, rows := f.sharesThat(); len(got) > 0 || rows > 0 {
				t.Errorf("shares %q and %d rows differ after a rebuild, want none", got, rows)
			}
		})
	}
}

// rebuild rebuilds a group and a member, and sweeps.
func (f *fleet) rebuild(of, id string) {
	f.Helper()
	group := site
	group.Subject.ID = of
	for _, s := range []model.Series{group, f.reading(id, "2026-04-20T14:00:00Z").Series} {
		rebuild := aggregate.Rebuild{Series: s, From: model.MinTime, To: model.MaxTime}
		if _, err := f.agg.Rebuild(f.Context(), rebuild); err != nil {
			f.Fatal(err)
		}
	}
	f.at = f.at.Add(15 * time.Minute)
	f.sweep()
}

// changeShare changes the share of member b, from which the group is folded again.
func (f *fleet) changeShare(change func(*rollup.Row)) {
	f.Helper()
	share := f.share(shareKey("b", "berlin"))
	change(share)
	f.putShare(share)
	f.refold("berlin")
}

// Shares are not judged while the change that explains them is on its way.
func TestVerify_SharesWaitForWhatIsOnItsWay(t *testing.T) {
	b := model.Subject{Type: "DEVICE", ID: "b"}
	for name, between := range map[string]func(*fleet){
		"an event that was stored": func(f *fleet) {
			f.store(f.reading("b", "2026-04-20T14:30:00Z"))
			f.removeShare(tested14)
		},
		"an event that was deleted": func(f *fleet) {
			e := f.reading("b", "2026-04-20T14:00:00Z")
			result, err := f.DeleteEvent(f.Context(), e.Key(), f.at)
			if err != nil || result != storage.Written {
				f.Fatal(result, err)
			}
			f.removeShare(tested14)
		},
		"a purge that removed the share before the row": func(f *fleet) {
			lock := &storage.PurgeLock{Subject: b, Since: f.at, PurgeID: "p",
				ExpiresAt: f.at.Add(time.Hour).Seconds()}
			if err := f.PutItem(f.Context(), item.FromPurgeLock(lock)); err != nil {
				f.Fatal(err)
			}
			f.removeShare(tested14)
		},
		"a sweep that has not begun": func(f *fleet) {
			f.at = eventAt("2026-04-20T17:30:00Z", 0).At
			f.process(f.reading("b", "2026-04-20T17:00:00Z"))
			f.at = f.at.Add(4 * time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t)
			between(f)
			if got, _ := f.sharesThat(); len(got) > 0 {
				t.Errorf("shares %q differ, want none", got)
			}
		})
	}
}

// A profile that moved is not processed yet: the share is in the hall where the member was.
func TestVerify_AMoveThatIsNotProcessedIsPending(t *testing.T) {
	kind := *testKind(t)
	kind.Groups = []string{"profile.hall"}
	kind.Retention = tier.Standard().Defer()
	kind.Subject.Profile = &catalog.Profile{Declared: []catalog.ProfileField{{Name: "hall"}}}
	f := &fleet{fixture: newFixture(t, &kind), at: eventAt("2026-04-20T13:50:00Z", 0).At}
	f.useClock()
	halls := storage.Memberships{Subject: model.Subject{Type: "DEVICE", ID: "a"}}
	halls.Log = append(halls.Log, storage.Membership{From: f.at, Fields: map[string]string{"hall": "north"}})
	put := func() {
		if err := f.PutItem(f.Context(), item.FromMemberships(&halls)); err != nil {
			t.Fatal(err)
		}
	}
	put()
	f.at = eventAt("2026-04-20T14:05:00Z", 0).At
	f.process(f.reading("a", "2026-04-20T14:00:00Z"))
	f.at = eventAt("2026-04-20T15:12:00Z", 0).At
	f.sweep()
	if got, rows := f.sharesThat(); len(got) > 0 || rows > 0 {
		t.Fatalf("shares %q and %d rows differ before the move", got, rows)
	}
	moved := storage.Membership{From: tested14 - 1, Fields: map[string]string{"hall": "south"}}
	halls.Log = append(halls.Log, moved)
	put()
	f.setProgress(tested14.Add(-time.Minute))
	if got, _ := f.sharesThat(); len(got) > 0 {
		t.Errorf("shares %q differ, want them pending", got)
	}
	f.setProgress(f.at)
	want := []string{"north a extra", "south a missing"}
	if got, _ := f.sharesThat(); !slices.Equal(got, want) {
		t.Errorf("shares %q differ of a move that was lost, want %q", got, want)
	}
}
