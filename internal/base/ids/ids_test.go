package ids_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBroken }

func seeded() *rand.ChaCha8 { return rand.NewChaCha8([32]byte{1}) }

func TestRandomValues_FollowFromTheSource(t *testing.T) {
	for name, make := range map[string]func(r *rand.ChaCha8) (string, error){
		"nonce":    func(r *rand.ChaCha8) (string, error) { n, err := ids.Nonce(r); return string(n[:]), err },
		"token":    func(r *rand.ChaCha8) (string, error) { return ids.Token(r) },
		"secret":   func(r *rand.ChaCha8) (string, error) { s, err := ids.Secret(r, 32); return string(s), err },
		"event id": func(r *rand.ChaCha8) (string, error) { return ids.Event(0, "", r) },
	} {
		source := seeded()
		first, err := make(source)
		second, err2 := make(source)
		again, err3 := make(seeded())
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if first == second || first != again {
			t.Errorf("%s: %x, then %x, and %x from the same seed; want two values, and the first one again", name,
				first, second, again)
		}
	}
}

func TestRandomValues_ReturnTheErrorOfTheSource(t *testing.T) {
	_, nonce := ids.Nonce(broken{})
	_, token := ids.Token(broken{})
	_, secret := ids.Secret(broken{}, 32)
	_, event := ids.Event(0, "", broken{})
	for name, err := range map[string]error{"nonce": nonce, "token": token, "secret": secret,
		"event id": event} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v, want the source's", name, err)
		}
	}
}

func TestEvent_WithAnOriginIsTheSameForEachDelivery(t *testing.T) {
	at := model.Time(1_776_693_600_000)
	first, err := ids.Event(at, "shard-1/49590", broken{})
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := ids.Event(at, "shard-1/49590", broken{}); again != first {
		t.Errorf("the same origin made %s, then %s", first, again)
	}
	if other, _ := ids.Event(at, "shard-1/49591", broken{}); other == first {
		t.Errorf("two origins made the same id %s", first)
	}
	later, _ := ids.Event(at+1, "shard-1/49590", broken{})
	if !(strings.Compare(first, later) < 0) {
		t.Errorf("the id of a later event, %s, sorts before %s", later, first)
	}
}
