package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/big"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Limits of a request.
const (
	MaxActions     = 100
	MaxItemBytes   = 400 << 10
	MaxActionBytes = 4 << 20
)

// ErrMalformed reports a request that DynamoDB rejects. It is permanent.
var ErrMalformed = errors.New("malformed request")

// Kind is what an action does with its item.
type Kind int

// The kinds of actions.
const (
	Check  Kind = iota // only checks the condition
	Put                // stores Item
	Update             // sets and removes attributes, and creates the item if there is none
	Delete             // removes the item, if there is one
)

// Action is what a request does with one item if a condition holds.
type Action struct {
	Kind   Kind
	Key    keys.Key
	If     Condition // nil: always
	Item   item.Item // of Put: complete, normalized, not changed afterwards
	Set    []Assignment
	Remove []string
	// Invalid is why the action cannot be carried out on any item. In a transaction it is the action's
	// outcome.
	Invalid error
}

// Assignment sets an attribute.
type Assignment struct {
	Attr string
	To   Operand // a value is normalized and not changed afterwards
	Once string  // keep the value of this attribute if the item has it; "" sets always
	// Plus is a number that is added to the value, or subtracted if Minus; nil for none.
	Plus  *Operand
	Minus bool
}

// Outcome is what happened to one action of a request that stored nothing.
type Outcome struct {
	Failed  bool      // its condition failed
	Old     item.Item // the item on which it failed; nil if there was none
	Invalid error     // the action cannot be carried out on this item
}

// Change is how an action changed an item. Do not change the items.
type Change struct {
	Key      keys.Key
	Old, New item.Item // nil for no item
}

// Result is the result of a request. Either it has changes, one for each action, or outcomes.
type Result struct {
	Changes  []Change
	Outcomes []Outcome // one for each action if the request stored nothing; else nil
	Repeated bool      // the transaction was already stored with this token: it changed nothing now
	Stored   Pending   // waits until the changes are on disk
}

// Write carries out all actions, or none if one fails or a transaction with this token and content is already
// stored. "" is no token. Errors wrap ErrMalformed, or are ErrTokenReused.
func (t *Table) Write(token string, content [sha256.Size]byte, actions []Action) (Result, error) {
	if err := checkActions(token, actions); err != nil {
		return Result{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	repeated, err := t.tokens.repeats(token, content, t.now())
	if repeated || err != nil {
		return Result{Repeated: repeated, Stored: t.stored()}, err
	}
	changes, outcomes, err := t.plan(actions)
	if outcomes != nil || err != nil {
		return Result{Outcomes: outcomes, Stored: t.stored()}, err
	}
	return Result{Changes: changes, Stored: t.commit(changes, token, content)}, nil
}

// checkActions rejects what DynamoDB rejects before it reads any item.
func checkActions(token string, actions []Action) error {
	if len(token) > MaxTokenBytes {
		return fmt.Errorf("%w: token of %d bytes: at most %d", ErrMalformed, len(token), MaxTokenBytes)
	}
	if len(actions) == 0 || len(actions) > MaxActions {
		return fmt.Errorf("%w: %d items in a transaction: want 1 to %d", ErrMalformed, len(actions), MaxActions)
	}
	seen := make(map[keys.Key]bool, len(actions))
	for i := range actions {
		a := &actions[i]
		if seen[a.Key] {
			return fmt.Errorf("%w: Transaction request cannot include multiple operations on one item: %v",
				ErrMalformed, a.Key)
		}
		seen[a.Key] = true
		if a.If == nil {
			continue
		}
		if err := a.If.Check(); err != nil {
			return fmt.Errorf("%w: condition on %v: %w", ErrMalformed, a.Key, err)
		}
	}
	return nil
}

// plan returns what the actions would change, or their outcomes if one of them fails. The caller holds mu.
func (t *Table) plan(actions []Action) ([]Change, []Outcome, error) {
	changes, outcomes := make([]Change, len(actions)), []Outcome(nil)
	fail := func(i int, o Outcome) {
		if outcomes == nil {
			outcomes = make([]Outcome, len(actions))
		}
		outcomes[i] = o
	}
	size := 0
	for i := range actions {
		a, old := &actions[i], t.get(actions[i].Key)
		changes[i] = Change{Key: a.Key, Old: old, New: old}
		if a.Invalid != nil {
			fail(i, Outcome{Invalid: a.Invalid})
			continue
		}
		if a.If != nil && !a.If.Holds(old) {
			fail(i, Outcome{Failed: true, Old: old})
			continue
		}
		image, err := t.apply(a, old)
		if errors.Is(err, errNoOperand) {
			return nil, nil, err
		}
		if err != nil {
			fail(i, Outcome{Invalid: err})
			continue
		}
		changes[i].New = image
		if a.Kind != Check {
			size += image.Size()
		}
	}
	if size > MaxActionBytes {
		return nil, nil, fmt.Errorf("%w: %d bytes in a transaction: at most %d", ErrMalformed, size, MaxActionBytes)
	}
	return changes, outcomes, nil
}

// errNoOperand is DynamoDB's error of SET a = b on an item without b.
var errNoOperand = fmt.Errorf(
	"%w: The provided expression refers to an attribute that does not exist in the item", ErrMalformed)

// apply returns the item after an action; nil removes it.
func (t *Table) apply(a *Action, old item.Item) (image item.Item, err error) {
	switch a.Kind {
	case Check:
		return old, nil
	case Delete:
		return nil, nil
	case Put:
		image = a.Item
	case Update:
		if image, err = t.updated(a, old); err != nil {
			return nil, err
		}
	}
	if size := image.Size(); size > MaxItemBytes {
		return nil, fmt.Errorf("%w: item %v of %d bytes", storage.ErrTooLarge, a.Key, size)
	}
	return image, t.schema.CheckIndexKeys(image)
}

func (t *Table) updated(a *Action, old item.Item) (item.Item, error) {
	before := old
	if before == nil {
		before = t.schema.KeyItem(a.Key) // expressions see the key of an item that does not exist yet
	}
	image := make(item.Item, len(before)+len(a.Set))
	maps.Copy(image, before)
	for _, set := range a.Set {
		v, ok := set.To.in(before)
		if !ok {
			return nil, errNoOperand
		}
		if kept, has := before[set.Once]; set.Once != "" && has {
			v = kept
		}
		if set.Plus != nil {
			number, ok := set.Plus.in(before)
			if !ok {
				return nil, errNoOperand
			}
			var err error
			if v, err = sum(v, number, set.Minus); err != nil {
				return nil, err
			}
		}
		image[set.Attr] = v
	}
	for _, name := range a.Remove {
		delete(image, name)
	}
	return image, nil
}

// errNotNumbers is DynamoDB's error of arithmetic with other values than numbers.
var errNotNumbers = fmt.Errorf("%w: An operand in the update expression has an incorrect data type",
	ErrMalformed)

// sum returns the exact sum, or difference, of two numbers.
func sum(a, b item.Value, minus bool) (item.Value, error) {
	x, errA := model.ParseDecimal(a.S)
	y, errB := model.ParseDecimal(b.S)
	if a.Type != item.N || b.Type != item.N || errA != nil || errB != nil {
		return item.Value{}, errNotNumbers
	}
	if minus {
		y = y.Neg()
	}
	exact := new(big.Rat).Add(x.Rat(), y.Rat())
	digits, _ := exact.FloatPrec() // decimals have an end
	total, err := model.ParseDecimal(exact.FloatString(digits))
	if err != nil {
		return item.Value{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return item.Value{Type: item.N, S: total.String()}, nil
}

// commit stores changes with their stream records. The caller holds mu.
func (t *Table) commit(changes []Change, token string, content [sha256.Size]byte) Pending {
	c := Commit{Token: token}
	for i := range changes {
		c.add(t.change(changes[i], false))
	}
	if token != "" {
		c.Transaction = Transaction{Content: content, At: t.now()}
		c.Expired = t.tokens.add(token, c.Transaction)
	}
	return t.append(&c)
}

// change stores a change and writes its stream record, unless the item is unchanged. The caller holds mu.
func (t *Table) change(c Change, service bool) (Change, *Record) {
	if EqualItems(c.Old, c.New) {
		return c, nil
	}
	old, new := t.put(c)
	if !t.options.Stream {
		return c, nil
	}
	return c, t.stream.add(c, old, new, t.now(), service)
}
