package lifecycle_test

import (
	"context"
	crand "crypto/rand"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// stateMachine makes random changes, under faults, to a service and to a reference model,
// and compares the two after every change.
type stateMachine struct {
	*lifecycle.Service
	table  storetest.Table
	faulty *storetest.FaultyStore
	spec   catalog.Profile
	now    model.Time

	subjects  []model.Subject
	reference map[model.Subject]*refProfile
	late      []*model.Profile // tombstones that TTL deleted, whose records have not arrived yet
	crashAt   int              // number of writes before the process crashes; below 0 means no crash
	cancel    context.CancelFunc
	faults    func(storetest.Call) storetest.WriteFault
}

func newStateMachine(t *rapid.T, table storetest.Table, prefix string) *stateMachine {
	m := &stateMachine{table: table, now: noon, reference: map[model.Subject]*refProfile{}, crashAt: -1}
	m.spec = []catalog.Profile{employee, reserving}[rapid.IntRange(0, 1).Draw(t, "release")]
	for _, id := range []string{"a", "b", "c"} {
		s := model.Subject{Type: "EMPLOYEE" + prefix, ID: id}
		m.subjects, m.reference[s] = append(m.subjects, s), &refProfile{}
	}
	dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "faults"), 1))
	m.faults = storetest.FailRandomly(dice, rapid.SampledFrom([]float64{0, .1, .4}).Draw(t, "rate"))
	m.faulty = &storetest.FaultyStore{Store: table, Writes: m.fault}
	m.Service = serviceOn(m.faulty, func() model.Time { return m.now },
		func(string) catalog.Profile { return m.spec })
	return m
}

// fault returns the fault of a write: a crash before or after the write is stored, or a
// random fault.
func (m *stateMachine) fault(c storetest.Call) storetest.WriteFault {
	if m.crashAt >= 0 {
		m.crashAt--
		if m.crashAt < 0 {
			m.cancel()
			return []storetest.WriteFault{storetest.LoseRequest, storetest.LoseResponse, storetest.Delay}[c.N%3]
		}
	}
	return m.faults(c)
}

// execute makes a change. If the process crashes, or the outcome is unknown, it repeats
// the change as a caller would; repeated reports this.
func (m *stateMachine) execute(t *rapid.T,
	change func(context.Context) (lifecycle.Result, error)) (out lifecycle.Result, repeated bool) {
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	if rapid.IntRange(0, 3).Draw(t, "crashes") == 0 {
		m.crashAt = rapid.IntRange(0, 4).Draw(t, "at write")
	}
	out, err := change(ctx)
	m.crashAt = -1
	cancel()
	m.faulty.CompleteDelayed()
	for tries := 0; errors.Is(err, model.ErrUndecided); tries++ {
		if tries > 50 {
			t.Fatalf("after %d attempts: %v", tries, err)
		}
		repeated = true
		out, err = change(context.Background())
		m.faulty.CompleteDelayed()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, repeated
}

// isTaken reports whether another subject holds a unique value of fields.
func (m *stateMachine) isTaken(s model.Subject, fields map[string]string) bool {
	for other, ref := range m.reference {
		reserved := ref.state == "active" || ref.state == "deleted" && m.spec.Release == catalog.ReleaseReserve
		if other != s && reserved && clash(ref.fields, fields) {
			return true
		}
	}
	// The values of an expired tombstone stay reserved until its record has arrived, or
	// until a later generation of the same subject claims them.
	wanted := listSentinels(&m.spec, s, newAttrs(fields))
	return slices.ContainsFunc(m.late, func(p *model.Profile) bool {
		return p.Subject != s && slices.ContainsFunc(p.Sentinels, func(partition string) bool {
			it, err := m.table.GetItem(context.Background(), tablekeys.UniqueIn(partition))
			held, decodeErr := item.Sentinel(it)
			return slices.Contains(wanted, partition) && err == nil && decodeErr == nil &&
				held.Generation == p.Generation
		})
	})
}

func (m *stateMachine) pick(t *rapid.T) (model.Subject, *refProfile) {
	s := rapid.SampledFrom(m.subjects).Draw(t, "subject")
	return s, m.reference[s]
}

func (m *stateMachine) Create(t *rapid.T) {
	s, ref := m.pick(t)
	given := someFields(t)
	out, repeated := m.execute(t, func(ctx context.Context) (lifecycle.Result, error) {
		return m.Service.Create(ctx, s, newAttrs(given))
	})
	switch fields := merged(nil, given); {
	case ref.state == "active":
		checkOutcome(t, out.Outcome, lifecycle.Exists, repeated)
	case ref.state == "deleted" && !m.isExpired(ref):
		checkOutcome(t, out.Outcome, lifecycle.Restorable, repeated)
	case m.isTaken(s, fields):
		checkOutcome(t, out.Outcome, lifecycle.Taken, repeated)
		m.removeExpired(s)
	default:
		checkOutcome(t, out.Outcome, lifecycle.Created, repeated, lifecycle.Exists)
		m.removeExpired(s)
		*ref = refProfile{state: "active", fields: fields}
		ref.addVersion("created")
	}
}

// removeExpired forgets an expired tombstone: a creation cleans up after it.
func (m *stateMachine) removeExpired(s model.Subject) {
	if ref := m.reference[s]; m.isExpired(ref) {
		*ref = refProfile{}
	}
}

func (m *stateMachine) Update(t *rapid.T) {
	s, ref := m.pick(t)
	patch := someFields(t)
	expect := rapid.SampledFrom([]int64{0, 0, ref.version, ref.version + 1}).Draw(t, "expect")
	out, repeated := m.execute(t, func(ctx context.Context) (lifecycle.Result, error) {
		return m.Service.Update(ctx, s, newAttrs(patch), expect)
	})
	switch fields := merged(ref.fields, patch); {
	case ref.state == "" || m.isExpired(ref):
		checkOutcome(t, out.Outcome, lifecycle.NotFound, repeated)
	case ref.state == "deleted":
		checkOutcome(t, out.Outcome, lifecycle.Restorable, repeated)
	case expect != 0 && expect != ref.version:
		checkOutcome(t, out.Outcome, lifecycle.Conflict, repeated)
	case cmp.Equal(fields, ref.fields):
		checkOutcome(t, out.Outcome, lifecycle.Unchanged, repeated)
	case m.isTaken(s, fields):
		checkOutcome(t, out.Outcome, lifecycle.Taken, repeated)
	default:
		checkOutcome(t, out.Outcome, lifecycle.Updated, repeated, lifecycle.Unchanged, lifecycle.Conflict)
		ref.fields = fields
		ref.addVersion("updated")
	}
}

func (m *stateMachine) Delete(t *rapid.T) {
	s, ref := m.pick(t)
	out, repeated := m.execute(t, func(ctx context.Context) (lifecycle.Result, error) {
		return m.Service.Delete(ctx, s, 0)
	})
	switch {
	case ref.state == "" || m.isExpired(ref):
		checkOutcome(t, out.Outcome, lifecycle.NotFound, repeated)
	case ref.state == "deleted":
		checkOutcome(t, out.Outcome, lifecycle.Restorable, repeated)
	default:
		checkOutcome(t, out.Outcome, lifecycle.Deleted, repeated, lifecycle.Restorable)
		ref.state, ref.until = "deleted", m.now.Add(m.spec.DeletedFor)
		ref.addVersion("deleted")
	}
}

func (m *stateMachine) Restore(t *rapid.T) {
	s, ref := m.pick(t)
	out, repeated := m.execute(t, func(ctx context.Context) (lifecycle.Result, error) {
		return m.Service.Restore(ctx, s, 0)
	})
	switch {
	case ref.state == "" || m.isExpired(ref):
		checkOutcome(t, out.Outcome, lifecycle.NotFound, repeated)
	case ref.state == "active":
		checkOutcome(t, out.Outcome, lifecycle.Exists, repeated)
	case m.isTaken(s, ref.fields):
		if m.spec.Release == catalog.ReleaseReserve {
			t.Fatal("another subject took a reserved value")
		}
		checkOutcome(t, out.Outcome, lifecycle.Taken, repeated)
	default:
		checkOutcome(t, out.Outcome, lifecycle.Restored, repeated, lifecycle.Exists)
		ref.state = "active"
		ref.addVersion("restored")
	}
}

func (m *stateMachine) Remove(t *rapid.T) {
	s, ref := m.pick(t)
	out, repeated := m.execute(t, func(ctx context.Context) (lifecycle.Result, error) {
		return m.Service.Remove(ctx, s, 0)
	})
	if ref.state == "" {
		checkOutcome(t, out.Outcome, lifecycle.NotFound, repeated)
		return
	}
	checkOutcome(t, out.Outcome, lifecycle.Removed, repeated, lifecycle.NotFound)
	*ref = refProfile{}
}

// Wait moves the clock, sometimes past the expiry of a tombstone.
func (m *stateMachine) Wait(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "days")) * 24 * time.Hour)
}

// Expire deletes expired tombstones, as TTL does. Clean delivers their records later.
func (m *stateMachine) Expire(t *rapid.T) {
	for _, s := range m.subjects {
		_, tombstone, _ := readParts(context.Background(), m.table, s)
		if tombstone == nil || tombstone.ExpiresAt == 0 || tombstone.ExpiresAt > m.now.Seconds() {
			continue
		}
		if err := m.table.DeleteItem(context.Background(), tablekeys.Tombstone(s)); err != nil {
			t.Fatal(err)
		}
		m.late = append(m.late, tombstone)
		*m.reference[s] = refProfile{}
	}
}

// Clean delivers the records of the expiries, each once or twice.
func (m *stateMachine) Clean(t *rapid.T) {
	for _, p := range m.late {
		for range rapid.IntRange(1, 2).Draw(t, "deliveries") {
			for tries := 0; ; tries++ {
				err := m.CleanUpExpired(context.Background(), p)
				m.faulty.CompleteDelayed()
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

// Check compares the table with the reference model.
func (m *stateMachine) Check(t *rapid.T) {
	m.faulty.Writes = nil
	defer func() { m.faulty.Writes = m.fault }()
	ctx := context.Background()
	for _, s := range m.subjects {
		ref := m.reference[s]
		p, err := m.Get(ctx, s)
		d, deletedErr := m.Deleted(ctx, s)
		if err != nil || deletedErr != nil {
			t.Fatal(err, deletedErr)
		}
		wantSame(t, "profile of "+s.ID, p, ref, ref.state == "active")
		wantSame(t, "tombstone of "+s.ID, d, ref, ref.state == "deleted" && !m.isExpired(ref))
		if ref.state == "" || m.isExpired(ref) {
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
		if !slices.Equal(kept, ref.kept) {
			t.Fatalf("versions of %s are %q, want %q", s.ID, kept, ref.kept)
		}
	}
	if len(m.late) > 0 {
		return // their versions and sentinels still exist
	}
	if wrong := brokenInvariants(ctx, m.table, &m.spec, m.now, m.subjects...); len(wrong) > 0 {
		t.Fatal(strings.Join(wrong, "\n"))
	}
}

func (m *stateMachine) run(t *rapid.T) {
	t.Repeat(map[string]func(*rapid.T){
		"create": m.Create, "update": m.Update, "delete": m.Delete, "restore": m.Restore, "remove": m.Remove,
		"wait": m.Wait, "expire": m.Expire, "clean": m.Clean, "": m.Check,
	})
}

func TestProfile_MatchesAReferenceModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m *stateMachine
		table := memory.New(func() model.Time { return m.now })
		m = newStateMachine(t, table, "")
		m.run(t)
	})
}

func TestProfile_MatchesAReferenceModelOnDynamoDB(t *testing.T) {
	client, err := dynamo.NewClient(t.Context(), "", enginetest.Endpoint(t))
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "profile-"+crand.Text())
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(8 * time.Second) // a request takes milliseconds here
	rapid.Check(t, func(t *rapid.T) {
		if time.Now().Before(end) {
			m := newStateMachine(t, table, crand.Text())
			m.Rand = crand.Reader // a server remembers tokens beyond a history
			m.run(t)
		}
	})
}
