package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func inHall(name string) model.Attrs {
	return model.Attrs{{Name: "hall", Value: model.TextValue(name)}}
}

// Whatever changes are logged, with clocks that run backwards: what the log says of a time before the newest
// entry stays the same, and from then on it has the newest fields.
func TestMemberships_ThePastNeverChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 3))
		m, now := &Memberships{}, model.Time(1_000_000)
		for range 40 {
			now += model.Time(draw.IntN(2000) - 500)
			hall := []string{"north", "south", ""}[draw.IntN(3)]
			next, moved, err := m.Moved([]string{"hall"}, inHall(hall), now, tier.Forever)
			if err != nil {
				t.Fatal(err)
			}
			if !moved && fmt.Sprint(m.At(model.MaxTime)) != fmt.Sprint(next.At(model.MaxTime)) {
				t.Fatalf("seed %d: an unchanged log has other fields", seed)
			}
			newest, _ := next.At(model.MaxTime).Get("hall")
			if text, _ := newest.Plain(); text != hall && (len(next.Log) > 0 || hall != "") {
				t.Fatalf("seed %d: the newest hall is %q, want %q", seed, text, hall)
			}
			for range 20 {
				at := now + model.Time(draw.IntN(4000)-2000)
				if moved && at >= next.Newest() {
					continue
				}
				if was, is := m.At(at), next.At(at); fmt.Sprint(was) != fmt.Sprint(is) {
					t.Fatalf("seed %d: at %d the log had %v, and has %v", seed, at, was, is)
				}
			}
			m = next
		}
	}
}

func TestMemberships_AFullLogLosesWhatNoEventNeeds(t *testing.T) {
	t.Parallel()
	full, now := &Memberships{}, model.Time(1_000_000)
	for n := 0; ; n++ {
		next, _, err := full.Moved([]string{"hall"}, inHall(fmt.Sprint(n)), now, tier.Forever)
		if errors.Is(err, ErrMembershipsFull) {
			break
		}
		full, now = next, now.Add(time.Hour)
	}
	for _, c := range []struct {
		kept  time.Duration
		moved bool
	}{{0, false}, {tier.Forever, false}, {time.Hour * time.Duration(len(full.Log)), false}, {time.Hour, true}} {
		next, moved, err := full.Moved([]string{"hall"}, inHall(strings.Repeat("x", 100)), now, c.kept)
		if moved != c.moved || moved == errors.Is(err, ErrMembershipsFull) {
			t.Errorf("events are kept for %s: moved %v, %v", c.kept, moved, err)
		}
		if moved && (next.size() > MaxMembershipBytes || next.Newest() <= full.Newest()) {
			t.Errorf("the log has %d bytes", next.size())
		}
	}
}

// The last change of a full log leaves exactly the space of a deletion. The restoration after it has none,
// and waits until events have expired.
func TestMemberships_AFullLogHasSpaceForADeletion(t *testing.T) {
	t.Parallel()
	base := &Memberships{}
	now := model.Time(1_700_000_000_000)
	for base.size() < MaxMembershipBytes-600 {
		next, _, err := base.Moved([]string{"hall"}, inHall(fmt.Sprint(len(base.Log))), now, tier.Forever)
		if err != nil {
			t.Fatal(err)
		}
		base, now = next, now.Add(time.Hour)
	}
	full := 0 // logs that have no space for a letter more
	for length := 1; length <= longestGroupValue; length++ {
		for _, more := range []string{"a", strings.Repeat("b", longestGroupValue/2)} {
			log, _, err := base.Moved([]string{"hall"}, inHall(more), now, tier.Forever)
			if err != nil {
				t.Fatal(err)
			}
			log, _, err = log.Moved([]string{"hall"}, inHall(strings.Repeat("x", length)), now, tier.Forever)
			if err != nil {
				continue
			}
			if log.size() > MaxMembershipBytes-deletionBytes {
				t.Fatalf("%d bytes with a hall: a deletion has no space", log.size())
			}
			deleted, moved, err := log.Moved([]string{"hall"}, nil, now.Add(time.Hour), tier.Forever)
			if err != nil || !moved || deleted.size() != log.size()+deletionBytes {
				t.Fatalf("deletion from a log of %d bytes: moved %v, %v", log.size(), moved, err)
			}
			if log.size() < MaxMembershipBytes-deletionBytes {
				continue
			}
			full++
			if deleted.size() != MaxMembershipBytes {
				t.Errorf("after the deletion a full log has %d bytes, want %d", deleted.size(), MaxMembershipBytes)
			}
			_, _, err = deleted.Moved([]string{"hall"}, inHall("x"), now.Add(2*time.Hour), tier.Forever)
			if !errors.Is(err, ErrMembershipsFull) {
				t.Errorf("restored in a full log: %v", err)
			}
			_, moved, err = deleted.Moved([]string{"hall"}, inHall("x"), now.Add(2*time.Hour), time.Hour)
			if err != nil || !moved {
				t.Errorf("restored when events have expired: %v", err)
			}
		}
	}
	if full == 0 {
		t.Error("no log was full to the byte")
	}
}
