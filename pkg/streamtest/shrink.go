package streamtest

import "slices"

// maxRuns is how many histories shrinking may play.
const maxRuns = 4000

// Shrink takes away from a failing history what it fails without, and tells the
// rest: each choice that is left is needed, up to a limit on the work. It returns nil
// where the history of the seed does not fail.
func (t Trial) Shrink(seed uint64) *Story {
	sh := &shrinker{Trial: t, seed: seed}
	all, failure := sh.play(nil)
	if failure == nil {
		return nil
	}
	left := sh.reduce(all)
	story := t.tell(seed, setOf(left))
	story.Whole, story.Runs = len(all), sh.runs
	return story
}

// Tell is the whole history of a seed as a story, whether it fails or not.
func (t Trial) Tell(seed uint64) *Story { return t.tell(seed, nil) }

func (t Trial) tell(seed uint64, keep map[uint64]bool) *Story {
	story := &Story{Seed: seed}
	s := newSim(seed, keep, t.Rates, story)
	story.Failure = s.run(t.Play)
	story.Choices = len(s.dice.tape.taken)
	story.Whole = story.Choices
	return story
}

type shrinker struct {
	Trial
	seed uint64
	runs int
}

// play plays the history with the choices kept alone, and answers which of them it
// came to and how it failed.
func (sh *shrinker) play(keep map[uint64]bool) ([]uint64, error) {
	sh.runs++
	s := newSim(sh.seed, keep, sh.Rates, nil)
	failure := s.run(sh.Play)
	return s.dice.tape.taken, failure
}

// reduce is delta debugging: it leaves out ever smaller pieces for as long as the
// history fails without them.
func (sh *shrinker) reduce(left []uint64) []uint64 {
	for size := (len(left) + 1) / 2; size > 0 && sh.runs < maxRuns; {
		smaller, ok := sh.without(left, size)
		switch {
		case ok:
			left = smaller
			size = min(size, max(1, len(left)/2))
		case size == 1:
			return left
		default:
			size = (size + 1) / 2
		}
	}
	return left
}

// without tries to do without pieces of a size, once through from the end, since
// what comes last is most often of no matter. ok says whether any could go.
func (sh *shrinker) without(left []uint64, size int) (_ []uint64, ok bool) {
	for end := len(left); end > 0 && sh.runs < maxRuns; end -= size {
		end = min(end, len(left))
		start := max(0, end-size)
		rest := slices.Concat(left[:start], left[end:])
		if reached, failure := sh.play(setOf(rest)); failure != nil {
			left, ok = reached, true
		}
	}
	return left, ok
}

func setOf(ids []uint64) map[uint64]bool {
	set := make(map[uint64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
