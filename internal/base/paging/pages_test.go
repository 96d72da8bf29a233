package paging_test

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/paging"
)

// reader serves pages by position 0, 1, 2, … and counts its reads.
type reader struct {
	pages [][]string
	fail  int // the position whose read fails; 0 for none
	reads int
}

var errRead = errors.New("read failed")

func (r *reader) read(after int) ([]string, int, error) {
	r.reads++
	if r.fail != 0 && after == r.fail {
		return nil, 0, errRead
	}
	next := after + 1
	if next == len(r.pages) {
		next = 0
	}
	return r.pages[after], next, nil
}

func TestItems_YieldsEveryItemInOrder(t *testing.T) {
	t.Parallel()
	r := &reader{pages: [][]string{{"a", "b"}, {}, {"c"}, {}}}
	got, err := paging.Collect(paging.Items(r.read))
	if want := []string{"a", "b", "c"}; err != nil || !slices.Equal(got, want) || r.reads != 4 {
		t.Errorf("got %v, %v by %d reads, want %v by 4", got, err, r.reads, want)
	}
}

func TestItemsAfter_StartsAfterThePosition(t *testing.T) {
	t.Parallel()
	r := &reader{pages: [][]string{{"a", "b"}, {"c"}, {"d"}}}
	got, err := paging.Collect(paging.ItemsAfter(1, r.read))
	if want := []string{"c", "d"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestItems_YieldsAnErrorLastAndWithoutAnItem(t *testing.T) {
	t.Parallel()
	r := &reader{pages: [][]string{{"a", "b"}, {"c"}, {"d"}}, fail: 2}
	var got []string
	var failed error
	for item, err := range paging.Items(r.read) {
		if err != nil {
			if item != "" {
				t.Errorf("the error comes with the item %q, want none", item)
			}
			failed = err
			continue
		}
		got = append(got, item)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) || !errors.Is(failed, errRead) {
		t.Errorf("got %v and then %v, want %v and then %v", got, failed, want, errRead)
	}
	if _, err := paging.Collect(paging.Items(r.read)); !errors.Is(err, errRead) {
		t.Errorf("Collect: %v, want %v", err, errRead)
	}
}

func TestItems_ReadsNoPageThatTheCallerDoesNotReach(t *testing.T) {
	t.Parallel()
	r := &reader{pages: [][]string{{"a", "b"}, {"c"}}}
	for item := range paging.Items(r.read) {
		if item == "b" {
			break
		}
	}
	if r.reads != 1 {
		t.Errorf("%d reads, want 1", r.reads)
	}
}

func TestFail_YieldsTheErrorOnce(t *testing.T) {
	t.Parallel()
	calls := 0
	for _, err := range paging.Fail[int](errRead) {
		if calls++; !errors.Is(err, errRead) {
			t.Errorf("got %v, want %v", err, errRead)
		}
	}
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}

func TestPages_YieldsEachPageAndReadsNoFurther(t *testing.T) {
	t.Parallel()
	r := &reader{pages: [][]string{{"a", "b"}, {}, {"c"}}, fail: 2}
	var sizes []int
	for page, err := range paging.Pages(0, r.read) {
		if err != nil {
			sizes = append(sizes, -1)
			continue
		}
		sizes = append(sizes, len(page))
	}
	if want := []int{2, 0, -1}; !slices.Equal(sizes, want) {
		t.Errorf("pages of %v items, want %v", sizes, want)
	}
	for range paging.Pages(0, r.read) {
		break
	}
	if r.reads != 4 {
		t.Errorf("%d reads, want 4", r.reads)
	}
}

func numbers(all ...int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for _, n := range all {
			if !yield(n, nil) {
				return
			}
		}
	}
}

func TestMerge_IsTheSortedUnion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 9), 0, 8), 0, 5).Draw(t, "lists")
		limit := rapid.IntRange(0, 12).Draw(t, "limit")
		var all []iter.Seq2[int, error]
		for _, l := range lists {
			slices.Sort(l)
			all = append(all, numbers(l...))
		}
		want := slices.Sorted(slices.Values(slices.Concat(lists...)))
		if limit > 0 {
			want = want[:min(limit, len(want))]
		}
		if got, err := paging.Collect(paging.Merge(limit, cmp.Compare, all...)); err != nil ||
			!slices.Equal(got, want) {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
	})
}

func TestMerge_EqualItemsKeepTheOrderOfTheirIterators(t *testing.T) {
	t.Parallel()
	byTens := func(a, b int) int { return cmp.Compare(a/10, b/10) }
	got, err := paging.Collect(paging.Merge(0, byTens, numbers(10, 20), numbers(11, 12, 21), numbers(13)))
	if want := []int{10, 11, 12, 13, 20, 21}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func TestMerge_ReadsNoPageThatTheCallerDoesNotReach(t *testing.T) {
	t.Parallel()
	a, b := &reader{pages: [][]string{{"a", "d"}, {"e"}}}, &reader{pages: [][]string{{"b"}, {"c"}}, fail: 1}
	var got []string
	var failed error
	for item, err := range paging.Merge(0, strings.Compare, paging.Items(a.read), paging.Items(b.read)) {
		if failed = err; err == nil {
			got = append(got, item)
		}
	}
	if want := []string{"a", "b"}; !slices.Equal(got, want) || !errors.Is(failed, errRead) || a.reads != 1 {
		t.Errorf("%v, then %v, with %d reads; want %v, then %v, with 1", got, failed, a.reads, want, errRead)
	}
	b.fail = 0
	if got, err := paging.Collect(paging.Merge(2, strings.Compare, paging.Items(a.read),
		paging.Items(b.read))); err != nil || !slices.Equal(got, []string{"a", "b"}) || b.reads != 3 {
		t.Errorf("%v, %v with %d reads, want the first two", got, err, b.reads)
	}
}
