package main

import (
	"fmt"
	"time"
)

// tally is what became of all mutants.
type tally struct{ killed, harmless, survived, overcautious int }

func (t *tally) add(m mutant, v verdict) {
	took := v.Took.Round(100 * time.Millisecond)
	fmt.Printf("%s: %s\n", m.Name, m.Says)
	switch {
	case v.Killer != "" && m.Harmless == "":
		t.killed++
		fmt.Printf("    killed by %s (%s)\n", v.Killer, took)
	case v.Killer != "":
		t.overcautious++
		fmt.Printf("    KILLED by %s, though it is listed as harmless (%s): strike it off the list\n", v.Killer, took)
	case m.Harmless != "":
		t.harmless++
		fmt.Printf("    harmless, and no test fails: %s (%s)\n", m.Harmless, took)
	case v.Timeout != "":
		t.survived++
		fmt.Printf("    SURVIVES: the tests of %s do not end, and a timeout is no kill (%s)\n", v.Timeout, took)
	default:
		t.survived++
		fmt.Printf("    SURVIVES: no test fails (%s)\n", took)
	}
}

// print says how many there were; its error is the check.
func (t *tally) print(took time.Duration) error {
	fmt.Printf("\n%d faults planted: %d killed, %d harmless, %d survive (%s)\n",
		t.killed+t.harmless+t.survived+t.overcautious, t.killed, t.harmless, t.survived, took.Round(time.Second))
	if t.survived > 0 || t.overcautious > 0 {
		return fmt.Errorf("%d faults survive and %d are listed wrongly", t.survived, t.overcautious)
	}
	return nil
}
