package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// verdicts in the order they are told.
var verdicts = []model.Verdict{
	model.Applied, model.Late, model.Stale, model.Duplicate,
	model.Collision, model.Conflict, model.Gone, model.Rejected,
}

// shownRejections is how many reasons are told one by one.
const shownRejections = 5

// outcomes counts verdicts. It may be used concurrently.
type outcomes struct {
	mu         sync.Mutex
	count      map[model.Verdict]int // guarded by mu
	rejections []string              // guarded by mu; the first few, for people
}

func (o *outcomes) add(v model.Verdict) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count == nil {
		o.count = map[model.Verdict]int{}
	}
	o.count[v]++
}

func (o *outcomes) reject(place, why string) {
	o.add(model.Rejected)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.rejections) < shownRejections {
		o.rejections = append(o.rejections, place+": "+why)
	}
}

func (o *outcomes) of(v model.Verdict) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count[v]
}

func (o *outcomes) total() (n int) {
	for _, v := range verdicts {
		n += o.of(v)
	}
	return n
}

// print tells the counts, and the first reasons of what was rejected.
func (o *outcomes) print(w io.Writer, took time.Duration) {
	n := o.total()
	fmt.Fprintf(w, "%s observations in %s (%s/s)\n", grouped(n), took.Round(100*time.Millisecond), grouped(perSecond(n, took)))
	for _, v := range verdicts {
		if c := o.of(v); c > 0 {
			fmt.Fprintf(w, "  %-10s %12s\n", v, grouped(c))
		}
	}
	for _, reason := range o.rejections {
		fmt.Fprintf(w, "  rejected %s\n", reason)
	}
	if more := o.of(model.Rejected) - len(o.rejections); more > 0 && len(o.rejections) > 0 {
		fmt.Fprintf(w, "  … and %s more\n", grouped(more))
	}
}

func perSecond(n int, took time.Duration) int {
	return int(float64(n) / max(took.Seconds(), 0.001))
}

// grouped is n with commas between thousands.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
