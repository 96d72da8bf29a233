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
