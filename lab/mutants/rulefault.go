package mutants

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// fault is one small change of a file.
type fault struct {
	id   int    // of its switch
	name string // file, function, rule and source text: stable while that text stays
	line int
}

// file returns the path of the file, from the module's root.
func (f *fault) file() string {
	path, _, _ := strings.Cut(f.name, " ")
	return path
}

// rule makes a fault out of a node of the syntax tree.
type rule string

// The rules.
const (
	negate   rule = "negate"   // a condition is its opposite
	drop     rule = "drop"     // a statement is left out
	bound    rule = "bound"    // < is <=, and so on
	operator rule = "operator" // + is -, and - is +
	swap     rule = "swap"     // two arguments of one type are exchanged
	flip     rule = "flip"     // true is false
)

// addNames numbers faults that have the same name.
func addNames(faults []fault) {
	seen := map[string]int{}
	for i := range faults {
		f := &faults[i]
		if seen[f.name]++; seen[f.name] > 1 {
			f.name = fmt.Sprintf("%s #%d", f.name, seen[f.name])
		}
	}
}

// faultName returns the name of a fault. Long source texts are shortened.
func faultName(file, function string, r rule, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 70 {
		text = string(runes[:70])
	}
	return fmt.Sprintf("%s %s: %s %s", file, function, r, text)
}

// choose returns the faults to try, in random order.
func choose(all []fault, o options) (some []fault, err error) {
	var again []byte
	if o.survivorsOf != "" {
		if again, err = os.ReadFile(o.survivorsOf); err != nil {
			return nil, err
		}
	}
	for _, f := range all {
		if strings.Contains(f.name, o.only) &&
			(again == nil || strings.Contains(string(again), " "+f.name+" (line ")) {
			some = append(some, f)
		}
	}
	draw := rand.New(rand.NewPCG(o.seed, 0))
	draw.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	if o.n > 0 && len(some) > o.n {
		some = some[:o.n]
	}
	return some, nil
}
