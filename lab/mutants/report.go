package mutants

import (
	"fmt"
	"time"
)

// summary counts the outcomes of all mutants.
type summary struct{ killed, harmless, survived, overcautious int }

func (t *summary) add(m mutant, o outcome) {
	took := o.Took.Round(100 * time.Millisecond)
	fmt.Printf("%s: %s\n", m.Name, m.Says)
	switch {
	case o.Killer != "" && m.Harmless == "":
		t.killed++
		fmt.Printf("    killed by %s (%s)\n", o.Killer, took)
	case o.Killer != "":
		t.overcautious++
		fmt.Printf("    KILLED by %s, but listed as harmless (%s): remove its Harmless text\n", o.Killer, took)
	case m.Harmless != "":
		t.harmless++
		fmt.Printf("    harmless, and no test fails: %s (%s)\n", m.Harmless, took)
	case o.Timeout != "":
		t.survived++
		fmt.Printf("    SURVIVES: the tests of %s do not end, and a timeout is not a kill (%s)\n", o.Timeout, took)
	default:
		t.survived++
		fmt.Printf("    SURVIVES: no test fails (%s)\n", took)
	}
}

// print prints the counts. It returns an error where a mutant survives or is listed wrongly.
func (t *summary) print(took time.Duration) error {
	fmt.Printf("\n%d faults planted: %d killed, %d harmless, %d survive (%s)\n",
		t.killed+t.harmless+t.survived+t.overcautious, t.killed, t.harmless, t.survived, took.Round(time.Second))
	if t.survived > 0 || t.overcautious > 0 {
		return fmt.Errorf("%d faults survive and %d are listed wrongly", t.survived, t.overcautious)
	}
	return nil
}
