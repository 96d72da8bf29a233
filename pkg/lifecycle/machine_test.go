package lifecycle_test

import (
	"context"
	crand "crypto/rand"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/item"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestMain(m *testing.M) { ddblocal.Main(m) }

// machine drives a service under faults beside plain lives, and holds one against the
// other after every change.
type machine struct {
	*lifecycle.Service
	table  storetest.Table
	faulty *storetest.Faulty
	spec   catalog.Profile
	now    model.Time

	subjects []model.Subject
	lives    map[model.Subject]*plain
	late     []*model.Profile // tombstones that TTL took, whose records have not come yet
	dying    int              // the write at which the process dies; below 0 never
	kill     context.CancelFunc
	faults   func(storetest.Call) storetest.Fault
}

func newMachine(t *rapid.T, table storetest.Table, prefix string) *machine {
	m := &machine{table: table, now: noon, lives: map[model.Subject]*plain{}, dying: -1}
	m.spec = []catalog.Profile{employee, reserving}[rapid.IntRange(0, 1).Draw(t, "release")]
	for _, id := range []string{"a", "b", "c"} {
		s := model.Subject{Type: "EMPLOYEE" + prefix, ID: id}
		m.subjects, m.lives[s] = append(m.subjects, s), &plain{}
	}
	dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 1))
	m.faults = storetest.Sometimes(dice, rapid.SampledFrom([]float64{0, .1, .4}).Draw(t, "rate"))
	m.faulty = &storetest.Faulty{Store: table, Writes: m.fault}
	m.Service = serviceOn(m.faulty, func() model.Time { return m.now }, func(string) catalog.Profile { return m.spec })
	return m
}

// fault is what befalls a write: the process dies at it, before or after it is
// stored, or something else goes wrong.
func (m *machine) fault(c storetest.Call) storetest.Fault {
	if m.dying >= 0 {
		m.dying--
		if m.dying < 0 {
			m.kill()
			return []storetest.Fault{storetest.Lose, storetest.LoseAnswer, storetest.LandLate}[c.N%3]
		}
	}
	return m.faults(c)
}

// ask carries a change out, and where its process dies, or it stays unknown what
// became of it, asks again as its caller would.
func (m *machine) ask(t *rapid.T, change func(context.Context) (lifecycle.Outcome, error)) (out lifecycle.Outcome, again bool) {
	ctx, cancel := context.WithCancel(context.Background())
	m.kill = cancel
	if rapid.IntRange(0, 3).Draw(t, "dies") == 0 {
		m.dying = rapid.IntRange(0, 4).Draw(t, "at write")
	}
	out, err := change(ctx)
	m.dying = -1
	cancel()
	m.faulty.Land()
	for tries := 0; out.Verdict == lifecycle.Unknown; tries++ {
		if err != nil || tries > 50 {
			t.Fatalf("asked %d times: %v", tries, err)
		}
		again = true
		out, err = change(context.Background())
		m.faulty.Land()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, again
}

// taken is whether another life holds a value that fields claim.
func (m *machine) taken(s model.Subject, fields map[string]string) bool {
	for other, life := range m.lives {
		holds := life.state == "standing" || life.state == "deleted" && m.spec.Release == catalog.ReleaseReserve
		if other != s && holds && clash(life.fields, fields) {
			return true
		}
	}
	// What a life held that has expired is held until its record has come, or until a
	// later life of the same subject claims it.
	wanted := sentinelsOf(&m.spec, s, attrsOf(fields))
	return slices.ContainsFunc(m.late, func(p *model.Profile) bool {
		return p.Subject != s && slices.ContainsFunc(p.Sentinels, func(partition string) bool {
			it, err := m.table.GetItem(context.Background(), keys.UniqueIn(partition))
			held, decodeErr := item.Sentinel(it)
			return slices.Contains(wanted, partition) && err == nil && decodeErr == nil && held.Life == p.Life
		})
	})
}

func (m *machine) one(t *rapid.T) (model.Subject, *plain) {
	s := rapid.SampledFrom(m.subjects).Draw(t, "subject")
	return s, m.lives[s]
}

func (m *machine) Create(t *rapid.T) {
	s, life := m.one(t)
	given := someFields(t)
	out, again := m.ask(t, func(ctx context.Context) (lifecycle.Outcome, error) {
		return m.Service.Create(ctx, s, attrsOf(given))
	})
	switch fields := merged(nil, given); {
	case life.state == "standing":
		wantVerdict(t, out.Verdict, lifecycle.Exists, again)
	case life.state == "deleted" && !m.dead(life):
		wantVerdict(t, out.Verdict, lifecycle.InBin, again)
	case m.taken(s, fields):
		wantVerdict(t, out.Verdict, lifecycle.Taken, again)
		m.cleared(s)
	default:
		wantVerdict(t, out.Verdict, lifecycle.Created, again, lifecycle.Exists)
		m.cleared(s)
		*life = plain{state: "standing", fields: fields}
		life.done("created")
	}
}

// cleared: whoever is about to be created has cleaned up after an expired tombstone.
func (m *machine) cleared(s model.Subject) {
	if life := m.lives[s]; m.dead(life) {
		*life = plain{}
	}
}

func (m *machine) Update(t *rapid.T) {
	s, life := m.one(t)
	patch := someFields(t)
	expect := rapid.SampledFrom([]int64{0, 0, life.version, life.version + 1}).Draw(t, "expect")
	out, again := m.ask(t, func(ctx context.Context) (lifecycle.Outcome, error) {
		return m.Service.Update(ctx, s, attrsOf(patch), expect)
	})
	switch fields := merged(life.fields, patch); {
	case life.state == "" || m.dead(life):
		wantVerdict(t, out.Verdict, lifecycle.NotFound, again)
	case life.state == "deleted":
		wantVerdict(t, out.Verdict, lifecycle.InBin, again)
	case expect != 0 && expect != life.version:
		wantVerdict(t, out.Verdict, lifecycle.Conflict, again)
	case cmp.Equal(fields, life.fields):
		wantVerdict(t, out.Verdict, lifecycle.Unchanged, again)
	case m.taken(s, fields):
		wantVerdict(t, out.Verdict, lifecycle.Taken, again)
	default:
		wantVerdict(t, out.Verdict, lifecycle.Updated, again, lifecycle.Unchanged, lifecycle.Conflict)
		life.fields = fields
		life.done("updated")
	}
}

func (m *machine) Delete(t *rapid.T) {
	s, life := m.one(t)
	out, again := m.ask(t, func(ctx context.Context) (lifecycle.Outcome, error) { return m.Service.Delete(ctx, s, 0) })
	switch {
	case life.state == "" || m.dead(life):
		wantVerdict(t, out.Verdict, lifecycle.NotFound, again)
	case life.state == "deleted":
		wantVerdict(t, out.Verdict, lifecycle.InBin, again)
	default:
		wantVerdict(t, out.Verdict, lifecycle.Deleted, again, lifecycle.InBin)
		life.state, life.until = "deleted", m.now.Add(m.spec.DeletedFor)
		life.done("deleted")
	}
}

func (m *machine) Restore(t *rapid.T) {
	s, life := m.one(t)
	out, again := m.ask(t, func(ctx context.Context) (lifecycle.Outcome, error) { return m.Service.Restore(ctx, s, 0) })
	switch {
	case life.state == "" || m.dead(life):
		wantVerdict(t, out.Verdict, lifecycle.NotFound, again)
	case life.state == "standing":
		wantVerdict(t, out.Verdict, lifecycle.Exists, again)
	case m.taken(s, life.fields):
		if m.spec.Release == catalog.ReleaseReserve {
			t.Fatal("a reserved value was taken")
		}
		wantVerdict(t, out.Verdict, lifecycle.Taken, again)
	default:
		wantVerdict(t, out.Verdict, lifecycle.Restored, again, lifecycle.Exists)
		life.state = "standing"
		life.done("restored")
	}
}

func (m *machine) Remove(t *rapid.T) {
	s, life := m.one(t)
	out, again := m.ask(t, func(ctx context.Context) (lifecycle.Outcome, error) { return m.Service.Remove(ctx, s, 0) })
	if life.state == "" {
		wantVerdict(t, out.Verdict, lifecycle.NotFound, again)
		return
	}
	wantVerdict(t, out.Verdict, lifecycle.Removed, again, lifecycle.NotFound)
	*life = plain{}
}

// Wait lets time pass, up to past the end of a tombstone.
func (m *machine) Wait(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "days")) * 24 * time.Hour)
}

// Expire has TTL take expired tombstones away; the records of that come later.
func (m *machine) Expire(t *rapid.T) {
	for _, s := range m.subjects {
		_, buried, _ := partsOf(context.Background(), m.table, s)
		if buried == nil || buried.ExpiresAt == 0 || buried.ExpiresAt > m.now.Seconds() {
			continue
		}
		if err := m.table.DeleteItem(context.Background(), keys.Tombstone(s)); err != nil {
			t.Fatal(err)
		}
		m.late = append(m.late, buried)
		*m.lives[s] = plain{}
	}
}

// Clean brings the records of expiries, one after the other, one of them twice.
func (m *machine) Clean(t *rapid.T) {
	for _, p := range m.late {
		for range rapid.IntRange(1, 2).Draw(t, "deliveries") {
			for tries := 0; ; tries++ {
				err := m.Expired(context.Background(), p)
				m.faulty.Land()
				if err == nil {
					break
				}
				if tries > 50 {
					t.Fatal(err)
				}
			}
		}
	}
	m.late = nil
}

// Check holds the table against the plain lives.
func (m *machine) Check(t *rapid.T) {
	m.faulty.Writes = nil
	defer func() { m.faulty.Writes = m.fault }()
	ctx := context.Background()
	for _, s := range m.subjects {
		life := m.lives[s]
		p, err := m.Get(ctx, s)
		d, deletedErr := m.Deleted(ctx, s)
		if err != nil || deletedErr != nil {
			t.Fatal(err, deletedErr)
		}
		wantSame(t, "profile of "+s.ID, p, life, life.state == "standing")
		wantSame(t, "tombstone of "+s.ID, d, life, life.state == "deleted" && !m.dead(life))
		if life.state == "" || m.dead(life) {
			continue
		}
		versions, _, err := m.Versions(ctx, s, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for _, v := range slices.Backward(versions) {
			kept = append(kept, string(v.Change))
		}
		if !slices.Equal(kept, life.kept) {
			t.Fatalf("versions of %s are %q, want %q", s.ID, kept, life.kept)
		}
	}
	if len(m.late) > 0 {
		return // what they left behind is still there
	}
	if wrong := unsound(ctx, m.table, &m.spec, m.now, m.subjects...); len(wrong) > 0 {
		t.Fatal(strings.Join(wrong, "\n"))
	}
}

func (m *machine) run(t *rapid.T) {
	t.Repeat(map[string]func(*rapid.T){
		"create": m.Create, "update": m.Update, "delete": m.Delete, "restore": m.Restore, "remove": m.Remove,
		"wait": m.Wait, "expire": m.Expire, "clean": m.Clean, "": m.Check,
	})
}

func TestLife_IsWhatAPlainModelSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m *machine
		table := memory.New(func() model.Time { return m.now })
		m = newMachine(t, table, "")
		m.run(t)
	})
}

func TestLife_IsWhatAPlainModelSaysOnDynamoDB(t *testing.T) {
	client, err := dynamo.NewClient(t.Context(), "", ddblocal.ForTest(t).Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "life-"+crand.Text())
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(8 * time.Second) // a request takes milliseconds here
	rapid.Check(t, func(t *rapid.T) {
		if time.Now().Before(end) {
			m := newMachine(t, table, crand.Text())
			m.Rand = crand.Reader // a server remembers tokens beyond a history
			m.run(t)
		}
	})
}
