package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Auditor finds buckets whose digest differs from their children's. It keeps the
// sums of one partition at a time. A scan may read a partition while it changes, so a
// partition with suspects is read again, in order, before they are reported. A subject with
// events that are spread over shards is read again too, all its partitions together.
type Auditor struct {
	Table   tablescan.Table
	Catalog *catalog.Catalog
	Now     func() model.Time
	// Include selects events whose bucket is suspect whatever its digest says; nil selects none.
	Include func(*model.Event) bool
	// Progress is called for every item; nil to ignore it.
	Progress func(Step)
}

// AuditReport is the result of an audit.
type AuditReport struct {
	Items      int // read, without partitions read again
	Suspects   []Suspect
	Undeclared []model.Series // of kinds that the catalog has not: not audited
}

// Run audits the partitions of a subject, or of the whole table for the zero subject.
func (a *Auditor) Run(ctx context.Context, subject model.Subject) (*AuditReport, error) {
	r := &auditRun{Auditor: a, undeclared: map[model.Series]bool{}, spread: map[model.Subject]bool{}}
	err := r.run(ctx, subject)
	r.report.Undeclared = slices.SortedFunc(maps.Keys(r.undeclared), tablescan.CompareSeries)
	return &r.report, err
}

// auditRun is one run of an Auditor.
type auditRun struct {
	*Auditor
	report     AuditReport
	undeclared map[model.Series]bool
	spread     map[model.Subject]bool // subjects with events that are spread over shards
	swept      storage.LowWatermarks

	partition string // that the scan is in
	audit     *audit // of it; nil before the first item
}

func (r *auditRun) run(ctx context.Context, subject model.Subject) (err error) {
	if r.swept, err = lowWatermarks(ctx, r.Table, r.Catalog.Kinds...); err != nil {
		return err
	}
	if subject == (model.Subject{}) {
		return r.scan(ctx)
	}
	return r.read(ctx, tablescan.Partitions(subject, r.Catalog), every, r.count)
}

// scan audits the whole table.
func (r *auditRun) scan(ctx context.Context) error {
	err := tablescan.Each(ctx, r.Table, func(it item.Item) error {
		r.count()
		if pk := it.Key().PK; pk != r.partition || r.audit == nil {
			if err := r.endPartition(ctx); err != nil {
				return err
			}
			r.partition, r.audit = pk, r.newAudit(inOnePartition)
		}
		r.audit.add(it)
		return nil
	})
	if err == nil {
		err = r.endPartition(ctx)
	}
	for _, subject := range slices.SortedFunc(maps.Keys(r.spread), compareSubjects) {
		if err == nil {
			err = r.read(ctx, tablescan.Partitions(subject, r.Catalog), isSpread, func() {})
		}
	}
	return err
}

func compareSubjects(a, b model.Subject) int { return strings.Compare(a.String(), b.String()) }

func (r *auditRun) newAudit(covers func(*catalog.Kind) bool) *audit {
	return &audit{kinds: r.Catalog, covers: covers, now: r.Now(), include: r.Include, swept: r.swept,
		series: map[model.Series]*seriesSums{}, others: map[model.Subject]bool{}}
}

func (r *auditRun) count() {
	r.report.Items++
	if r.Progress != nil {
		r.Progress(Step{Phase: "audit", Unit: "items", Added: 1})
	}
}

// endPartition ends the partition that was scanned last.
func (r *auditRun) endPartition(ctx context.Context) error {
	if r.audit == nil {
		return nil
	}
	r.noteUndeclared(r.audit)
	maps.Copy(r.spread, r.audit.others)
	if len(r.audit.suspects()) == 0 {
		return nil
	}
	return r.read(ctx, []string{r.partition}, inOnePartition, func() {})
}

// read audits partitions together by reading each strongly consistent and in order.
func (r *auditRun) read(ctx context.Context, partitions []string, covers func(*catalog.Kind) bool,
	count func()) error {
	one := r.newAudit(covers)
	for _, pk := range partitions {
		_, err := tablescan.Partition(ctx, r.Table, pk, func(it item.Item) bool {
			one.add(it)
			count()
			return true
		})
		if err != nil {
			return fmt.Errorf("audit partition %s: %w", pk, err)
		}
	}
	r.noteUndeclared(one)
	r.report.Suspects = append(r.report.Suspects, one.suspects()...)
	return nil
}

func (r *auditRun) noteUndeclared(one *audit) {
	for series, sums := range one.series {
		if sums == nil {
			r.undeclared[series] = true
		}
	}
}
