package query_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// newGroupedList is a listed fleet whose readings have groups by site and by the profile's account.
func newGroupedList(t testingT) *listed {
	l := newListed(t)
	readings, logs := iot.Readings, iot.Readings
	readings.Groups, readings.Retention = []string{"site", "profile.account"}, tier.Standard().Defer()
	readings.Subject.Profile = &catalog.Profile{
		Declared: []catalog.ProfileField{{Name: "account"}}, GroupFields: []string{"account"},
	}
	logs.Subject = readings.Subject
	logs.Name, logs.Path = "LOG", "logs"
	logs.Latest = catalog.NoLatest
	logs.Measures, logs.LatestBy = nil, nil
	kinds, err := catalog.New(readings, logs)
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	l.kinds = kinds
	return l
}

// log stores the log of a device's profile: an account at each of some times.
func (l *listed) log(id string, expiresAt int64, accounts ...string) {
	l.t.Helper()
	m := storage.Memberships{Subject: model.Subject{Type: "DEVICE", ID: id}, ExpiresAt: expiresAt}
	for i, account := range accounts {
		m.Log = append(m.Log, storage.Membership{From: now + model.Time(i), Fields: map[string]string{}})
		if account != "" {
			m.Log[i].Fields["account"] = account
		}
	}
	if err := l.table.PutItem(context.Background(), item.FromMemberships(&m)); err != nil {
		l.t.Fatalf("log: %v", err)
	}
}

// fleet is what a fleet of devices is known to be, by device.
type fleetFacts struct {
	last          map[string]model.Time // of its newest event of the kind of the request
	site, account map[string]string
}

// drawFleet sends events of some devices and stores logs of their profiles.
func drawFleet(t *rapid.T, l *listed, kind string) fleetFacts {
	f := fleetFacts{last: map[string]model.Time{}, site: map[string]string{}, account: map[string]string{}}
	names := rapid.SampledFrom([]string{"", "a", "b", "c"})
	for i := range rapid.IntRange(0, 25).Draw(t, "devices") {
		id := fmt.Sprint("d", i)
		l.list(model.Series{Subject: model.Subject{Type: "DEVICE", ID: id}}, 0)
		f.last[id] = model.MinTime
		if n := rapid.IntRange(0, 3).Draw(t, "moves"); n > 0 {
			accounts := rapid.SliceOfN(names, n, n).Draw(t, "accounts")
			expiresAt := int64(0)
			if f.account[id] = accounts[n-1]; rapid.IntRange(0, 4).Draw(t, "purged") == 0 {
				expiresAt, f.account[id] = now.Seconds(), ""
			}
			l.log(id, expiresAt, accounts...)
		}
		at, streams := now.Add(-200*time.Minute), map[string]string{}
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			at = at.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "minutes")) * time.Minute)
			of, site := rapid.SampledFrom([]string{"READING", "LOG"}).Draw(t, "kind"), names.Draw(t, "site")
			stream := rapid.SampledFrom([]string{"", "roof"}).Draw(t, "stream")
			l.sendFrom(site, id, of, stream, at)
			if kind == "" || kind == of {
				f.last[id] = at
			}
			if of != "READING" {
				continue
			}
			if site != "" {
				streams[stream] = site // a latest item keeps a field that an event lacks
			}
			f.site[id] = streams[stream]
		}
	}
	return f
}

// Each device counts once: in the site of its newest reading, or in the account of its log's last entry,
// whether it is silent or not. The silent ones are the ones that the list of silent subjects counts.
func TestCountMembers_CountsEachMemberInItsGroupOfNow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := newGroupedList(t)
		kind := rapid.SampledFrom([]string{"", "READING", "LOG"}).Draw(t, "silent of")
		f := drawFleet(t, l, kind)
		q := l.request(time.Duration(rapid.IntRange(0, 200).Draw(t, "span")) * time.Minute)
		q.Members, q.Kind = true, kind
		by := rapid.SampledFrom([]string{"READING_BY_SITE", "READING_BY_PROFILE_ACCOUNT"}).Draw(t, "by")
		q.By, _ = l.kinds.Kind(by)
		of := map[string]map[string]string{"READING_BY_SITE": f.site, "READING_BY_PROFILE_ACCOUNT": f.account}[by]
		want := map[string]query.SilentCount{}
		for id, at := range f.last {
			c := want[of[id]]
			c.Group, c.Members = of[id], c.Members+1
			if q.For > 0 && at <= now.Add(-q.For) {
				c.Silent++
			}
			want[of[id]] = c
		}
		all, err := paging.Collect(l.query.EachSilent(context.Background(), q))
		if err != nil {
			t.Fatal(err)
		}
		checkCounts(t, "all", want, all)
		checkCounts(t, "pages", want, l.pages(t, q))
		for id, c := range want {
			if c.Members = c.Silent; c.Silent == 0 {
				delete(want, id)
			} else {
				want[id] = c
			}
		}
		if q.Members = false; q.For > 0 {
			checkCounts(t, "silent ones", want, l.pages(t, q))
		}
	})
}

func checkCounts(t *rapid.T, how string, want map[string]query.SilentCount, found []query.SilentSubject) {
	counts, got := query.CountSilent(found), map[string]query.SilentCount{}
	for _, c := range append(counts.Groups, counts.None) {
		if c.Members > 0 {
			got[c.Group] = c
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || counts.Unknown.Members != 0 {
		t.Fatalf("%s, %d unknown (-want +got):\n%s", how, counts.Unknown.Members, diff)
	}
}

// pages reads all pages of a request, of few subjects each.
func (l *listed) pages(t *rapid.T, q query.Silent) (found []query.SilentSubject) {
	q.Limit = rapid.IntRange(1, 9).Draw(t, "limit")
	for more := true; more; more = q.Cursor != "" {
		page, err := l.query.Silent(context.Background(), q)
		if err != nil || len(page.Subjects) > q.Limit {
			t.Fatalf("page of %d, limit %d: %v", len(page.Subjects), q.Limit, err)
		}
		found, q.Cursor = append(found, page.Subjects...), page.Next
	}
	return found
}

// Groups by profiles need no event: the list decides who is active.
func TestCountMembers_ReadsOneItemOfEachMember(t *testing.T) {
	t.Parallel()
	l := newGroupedList(t)
	for i := range 30 {
		l.send(fmt.Sprint("d", i), "READING", "", now)
	}
	for by, want := range map[string]int64{"READING_BY_SITE": 30, "READING_BY_PROFILE_ACCOUNT": 0} {
		q := l.request(time.Hour)
		q.Members = true
		q.By, _ = l.kinds.Kind(by)
		before := l.reads.latest.Load()
		found, err := paging.Collect(l.query.EachSilent(t.Context(), q))
		if n := l.reads.latest.Load() - before; err != nil || len(found) != 30 || n != want {
			t.Errorf("%s: %d members with %d latest items, %v; want 30 with %d", by, len(found), n, err, want)
		}
	}
}

// A request without a span counts members: it needs the groups to count by. Its cursor is of no other
// request.
func TestCountMembers_NeedsGroups(t *testing.T) {
	t.Parallel()
	l := newGroupedList(t)
	for i := range 3 {
		l.send(fmt.Sprint("d", i), "READING", "", now.Add(-3*time.Hour))
	}
	q := l.request(0)
	q.Members = true
	if _, err := l.query.Silent(t.Context(), q); !errors.Is(err, query.ErrRange) {
		t.Errorf("without groups: %v", err)
	}
	q.For, q.Limit = time.Hour, 1
	q.By, _ = l.kinds.Kind("READING_BY_SITE")
	page, err := l.query.Silent(t.Context(), q)
	if err != nil || page.Next == "" {
		t.Fatalf("%+v, %v; want a further page", page, err)
	}
	q.Members, q.Cursor = false, page.Next
	if _, err := l.query.Silent(t.Context(), q); !errors.Is(err, query.ErrCursorMismatch) {
		t.Errorf("the cursor of a count of all members, for silent ones: %v", err)
	}
}
