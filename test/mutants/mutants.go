package main

import "slices"

// The packages whose tests are asked, in this order.
var (
	rule  = []string{"test/faults", "internal/aggregate", "test/simulation"}
	fold  = []string{"pkg/rollup", "test/faults", "internal/aggregate", "test/simulation"}
	door  = []string{"functions/aggregate", "internal/envelope", "test/faults"}
	whole = []string{"test/faults", "internal/aggregate", "internal/envelope", "functions/aggregate", "test/simulation"}
)

func packagesOf(planted []mutant) (all []string) {
	for _, m := range planted {
		all = append(all, m.Tests...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Files of the rule.
const (
	look       = "internal/aggregate/look.go"
	children   = "internal/aggregate/children.go"
	resuming   = "internal/aggregate/resume.go"
	sealing    = "internal/aggregate/sealed.go"
	touching   = "internal/aggregate/touch.go"
	settling   = "internal/aggregate/aggregator.go"
	retrying   = "internal/aggregate/retry.go"
	folding    = "pkg/rollup/fold.go"
	merging    = "pkg/rollup/merge.go"
	decoding   = "internal/envelope/streamrecord.go"
	answering  = "functions/aggregate/handler.go"
	importItem = `	"github.com/tidemark-db/tidemark/internal/item"` + "\n"
	importKeys = `	"github.com/tidemark-db/tidemark/pkg/keys"` + "\n"
)

var mutants = []mutant{
	{
		Name: "add", Says: "what was read is added to the row instead of taking its place", Tests: rule,
		Edits: []edit{{look, "	return l.keep(ctx, row, fold)", `	if stands(row) && !damaged(row) {
		fold.Summary.Merge(row.Summary)
	}
	return l.keep(ctx, row, fold)`}},
	},
	{
		Name: "children-before-rev", Says: "the children are read before the row", Tests: rule,
		Edits: []edit{
			{look, "	row, err := l.firstRow(ctx)", "	fold, early := l.foldChildren(ctx, nil)\n	row, err := l.readRow(ctx, l.key)"},
			{look, "	fold, err := l.foldChildren(ctx, row)\n	if err != nil {", "	err = early\n	if err != nil {"},
		},
	},
	{
		Name: "eventual-read", Says: "the children are read without consistency", Tests: rule,
		Edits: []edit{{children, "Consistent: true}", "Consistent: false}"}},
	},
	{
		Name: "no-condition", Says: "the row is written on condition of whatever stands at that moment", Tests: rule,
		Edits: []edit{{look, "	rev, err := l.newRev()\n", `	if now, err := l.Store.Row(ctx, l.key); err == nil && now != nil {
		prev = now.Rev
	} else {
		prev = rollup.Rev{}
	}
	rev, err := l.newRev()
`}},
	},
	{
		Name: "always-skip", Says: "a row that holds the fold is never written again, whatever the change", Tests: rule,
		Edits: []edit{{look, "same && (!l.force || l.terms.DryRun)", "same"}},
	},
	{
		Name: "delete-empty", Says: "the row of a bucket without children is deleted", Tests: rule,
		Edits: []edit{
			{look, importItem, importItem + importKeys},
			{look, "	answer, err := l.put(ctx, old, row)\n", `	if table, can := l.Store.(interface {
		DeleteItem(context.Context, keys.Key) error
	}); can && isEmpty(fold) {
		l.Written++
		return model.Written, table.DeleteItem(ctx, keys.Row(l.key))
	}
	answer, err := l.put(ctx, old, row)
`},
		},
	},
	{
		Name: "ignore-empty", Says: "a fold of no children writes nothing", Tests: rule,
		Edits: []edit{{look, "	row, oversize := l.rowOf(fold)\n", "	if isEmpty(fold) {\n		return model.Written, nil\n	}\n	row, oversize := l.rowOf(fold)\n"}},
	},
	{
		Name: "coarse-first", Says: "the month is looked at before the day, and the day before the hour", Tests: rule,
		Edits: []edit{
			{settling, `	"runtime/debug"` + "\n", `	"runtime/debug"` + "\n" + `	"slices"` + "\n"},
			{settling, "for _, touches := range p.rungs {", "for _, touches := range slices.Backward(p.rungs) {"},
		},
	},
	{
		Name: "coarse-left-alone", Says: "the day is left alone when its hour is found unchanged", Tests: rule,
		Edits: []edit{{settling, "			a.lookAtAll(ctx, touches, limits, total)\n", `			before := total.Written
			a.lookAtAll(ctx, touches, limits, total)
			if total.Written == before {
				break
			}
`}},
	},
	{
		Name: "no-seal", Says: "a row is folded again though its children expire", Tests: rule,
		Edits: []edit{{look, "stands(row) && sealed(row, l.Now())", "stands(row) && damaged(row)"}},
	},
	{
		Name: "seal-late", Says: "a row is sealed when its first child expires, without the hour before", Tests: rule,
		Edits: []edit{{sealing, "row.ChildrenUntil-int64(tier.SealMargin.Seconds())", "row.ChildrenUntil"}},
	},
	{
		Name: "seal-unmarked", Says: "a change on a sealed row is passed over in silence", Tests: rule,
		Edits: []edit{{sealing, "	marked := *row\n", "	if row.Exact {\n		return model.Written, nil\n	}\n	marked := *row\n"}},
	},
	{
		Name: "greatest-until", Says: "a row counts as whole until its last child expires", Tests: fold,
		Edits: []edit{{folding, "		f.ChildrenUntil = min(f.ChildrenUntil, expiresAt)\n", `		if f.ChildrenUntil == NoExpiry || f.ChildrenUntil < expiresAt {
			f.ChildrenUntil = expiresAt
		}
`}},
	},
	{
		Name: "absent-made-anew", Says: "a row that may have lived and expired is made anew of what is left", Tests: rule,
		Edits: []edit{{look, "		if lived { //", "		if lived && false { //"}},
	},
	{
		Name: "lived-no-margin", Says: "an absent row counts as never made until the very end of its retention", Tests: rule,
		Edits: []edit{{sealing, "b.End.Add(least) <= now.Add(tier.SealMargin)", "b.End.Add(least) <= now"}},
	},
	{
		Name: "expired-children-skipped", Says: "events that have expired and still stand are left out of the fold", Tests: rule,
		Edits: []edit{{children, "			add(&page.Events[i])\n", `			if at := page.Events[i].ExpiresAt; at == 0 || at > l.Now().Seconds() {
				add(&page.Events[i])
			}
`}},
	},
	{
		Name: "first-page", Says: "only the first page of children is folded", Tests: rule,
		Edits: []edit{{children, `		if next == "" {`, `		if next == "" || true {`}},
	},
	{
		Name: "resume-kept", Says: "the resume point is kept after a change that lies before it", Tests: rule,
		Edits: []edit{{look, "	row.Rev = rev\n", `	row.Rev = rev
	if stands(old) && stands(row) && old.Resume != nil && row.ChildrenUntil != 0 {
		row.Resume = old.Resume
	}
`}},
	},
	{
		Name: "resume-whatever", Says: "a fold goes on from the resume point whatever changed", Tests: rule,
		Edits: []edit{{resuming, "if ok && l.earliest >= point.At {", "if ok {"}},
	},
	{
		Name: "resume-repair", Says: "a repair goes on from the resume point, as if everything before it had been told", Tests: rule,
		Edits: []edit{{resuming, "	if l.repair {\n", "	if false {\n"}},
	},
	{
		Name: "resume-after-itself", Says: "an event at the very time of the resume point counts as before it, too", Tests: rule,
		Edits: []edit{{resuming, "e.At >= s.next", "e.At > s.next"}},
	},
	{
		Name: "resume-any-kind", Says: "a fold goes on from what was folded under another declaration of the kind", Tests: fold,
		Edits: []edit{{"pkg/rollup/resume.go", "string(declared) != string(spec.fingerprint())", "len(declared) != fingerprintSize"}},
	},
	{
		Name: "lost-is-done", Says: "a lost condition counts as done: somebody else wrote the row", Tests: rule,
		Edits: []edit{{retrying, "case err == nil && answer == model.Written:", "case err == nil && (answer == model.Written || answer == model.Refused):"}},
	},
	{
		Name: "unknown-is-done", Says: "a write without an answer counts as done", Tests: rule,
		Edits: []edit{{retrying, "case err == nil && answer == model.Written:", "case err == nil && (answer == model.Written || answer == model.Uncertain):"}},
	},
	{
		Name: "deletions-dropped", Says: "deletions by somebody are dropped like expiries", Tests: rule,
		Edits: []edit{{touching, "case c.What == model.Expired:", "case c.What == model.Expired || c.What == model.Deleted:"}},
	},
	{
		Name: "expiry-is-deletion", Says: "a removal by TTL is taken for a deletion by somebody", Tests: whole,
		Edits: []edit{{touching, "case c.What == model.Expired:", "case c.What == model.Expired && false:"}},
	},
	{
		Name: "unsigned-is-deletion", Says: "a removal that TTL did not sign is a deletion, expired or not", Tests: door,
		Edits: []edit{{decoding, "	return old != nil && old.ExpiresAt != 0 &&", "	return false && old.ExpiresAt != 0 &&"}},
	},
	{
		Name: "exact-for-ever", Says: "a coarser row says exact though one of its finer rows does not", Tests: fold,
		Edits: []edit{{folding, "	f.Exact = f.Exact && r.Exact\n", ""}},
	},
	{
		Name: "unreadable-silent", Says: "an event that cannot be decoded is left out in silence", Tests: fold,
		Edits: []edit{{folding, "		f.Unreadable++\n		f.Exact = false\n		return\n", "		return\n"}},
	},
	{
		Name: "in-place-merge", Says: "a merge keeps hold of what it merged, and writes into it", Tests: fold,
		Edits: []edit{{merging, "known[i].clone()", "known[i]"}},
	},
	{
		Name: "newer-overwritten", Says: "a row that a newer version wrote is folded and written over", Tests: rule,
		Edits: []edit{{look, "	if row.V > item.Version {", "	if row.V > item.Version+9 {"}},
	},
	{
		Name: "nil-on-failure", Says: "the function answers nothing when a record failed", Tests: door,
		Edits: []edit{{answering, "	return json.Marshal(a)", "	if len(a.Failures) > 0 {\n		return nil, nil\n	}\n	return json.Marshal(a)"}},
	},
	{
		Name: "acknowledge-failed", Says: "the function acknowledges the first record that failed, and names the next", Tests: door,
		Edits: []edit{
			{answering, "	for _, seq := range seqs {\n		if _, failed := unsettled[seq]; failed {\n			return answer{[]failure{{seq}}}\n", `	for i, seq := range seqs {
		if _, failed := unsettled[seq]; failed && i+1 < len(seqs) {
			return answer{[]failure{{seqs[i+1]}}}
`},
		},
	},
	{
		Name: "poison-dropped", Says: "a record that cannot be read is acknowledged and not kept", Tests: door,
		Edits: []edit{{answering, "	unsettled, setAside := h.setAside(ctx, batch.Poison)", "	unsettled, setAside := h.setAside(ctx, nil)"}},
	},
	{
		Name: "counter-for-rev", Says: "a rev is the one before and one more, not a nonce", Tests: whole,
		Edits: []edit{{look, "	row.Rev = rev\n", `	rev = prev
	for i := len(rev) - 1; i >= 0; i-- {
		if rev[i]++; rev[i] != 0 {
			break
		}
	}
	row.Rev = rev
`}},
		Harmless: "two rows have the same rev only where one was removed and made anew; TTL alone removes rows, a day after an empty one was written at the earliest, and no look is under way so long. The nonce stays, for a hand in the console has no such patience",
	},
}
