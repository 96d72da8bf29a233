package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Publisher tells the world of changes of alerts. Implementations are safe for
// concurrent use.
type Publisher interface {
	// Publish tells notices by one request, at most MostNotices of them, and answers for
	// each, by its place, whether it is known to have been taken. One that is not may have
	// been told all the same.
	Publish(ctx context.Context, notices []model.Notice) (taken []bool, err error)
}

// MostNotices are told by one request.
const MostNotices = 10

// Deliver tells notices that were just stored, once: what is not taken stays stored, and
// DeliverWaiting tells it later. It answers how many were taken, and what went wrong with
// the rest; nothing has to be done about that.
func (s *Service) Deliver(ctx context.Context, notices []model.Notice) (delivered int, err error) {
	if s.Publisher == nil {
		return 0, nil
	}
	for len(notices) > 0 && ctx.Err() == nil {
		n := min(len(notices), MostNotices)
		taken, failure := s.Publisher.Publish(ctx, notices[:n])
		if failure != nil {
			err = errors.Join(err, fmt.Errorf("tell of %d alerts: %w", n, failure))
		}
		before := delivered
		for i := range notices[:n] {
			if i < len(taken) && taken[i] {
				delivered++
				err = errors.Join(err, s.markDelivered(ctx, &notices[i]))
			}
		}
		if failure != nil && delivered == before {
			return delivered, err // it takes nothing now: who waits for it holds others up
		}
		notices = notices[n:]
	}
	return delivered, err
}

// markDelivered takes a notice out of the list of those that wait, and leaves it to
// expire. Where that fails it is told once more.
func (s *Service) markDelivered(ctx context.Context, n *model.Notice) error {
	done := *n
	done.ExpiresAt = s.Now().Add(tier.Day24).Seconds()
	answer, err := s.Store.PutAll(ctx, []table.Put{{Item: storedNotice(&done), When: table.Condition{{Op: table.There}}}})
	if err == nil && answer != model.Written && answer != model.Refused {
		err = fmt.Errorf("the notice stays, and will be told again: the table answered %s", answer)
	}
	return err
}

// Waiting is what DeliverWaiting found.
type Waiting struct {
	Delivered int
	Left      int           // not delivered
	Oldest    time.Duration // since when the oldest of these has been waiting
}

// fresh is how long a notice is left to whoever stored it.
const fresh = 15 * time.Second

// DeliverWaiting tells the notices that wait, oldest first, all that time allows. One
// that is refused is left for the next call. The error says what went wrong, beside what
// was done.
func (s *Service) DeliverWaiting(ctx context.Context) (w Waiting, err error) {
	now := s.Now()
	for shard := range indexShards {
		within := table.Listing{Index: keys.IndexGSI1, Partition: keys.OutboxPartition(shard)}
		for more := true; more; {
			page, failure := s.Store.List(ctx, within)
			if failure != nil {
				err = errors.Join(err, fmt.Errorf("list the notices that wait: %w", failure))
				break
			}
			err = errors.Join(err, s.deliverPage(ctx, page.Items, now, &w))
			within.After = page.Next
			more = page.Next != (table.Place{})
		}
	}
	return w, err
}

func (s *Service) deliverPage(ctx context.Context, items []item.Item, now model.Time, w *Waiting) error {
	for from := 0; from < len(items); from += MostNotices {
		var due []model.Notice
		for _, it := range items[from:min(len(items), from+MostNotices)] {
			if n, err := item.Notice(it); err == nil && n.ExpiresAt == 0 && n.At.Add(fresh) <= now {
				due = append(due, n)
			}
		}
		if len(due) == 0 {
			continue
		}
		delivered, err := s.Deliver(ctx, due)
		w.Delivered += delivered
		if left := len(due) - delivered; left > 0 {
			w.Left += left
			w.Oldest = max(w.Oldest, now.Sub(due[0].At))
		}
		if err != nil {
			w.count(items[min(len(items), from+MostNotices):], now)
			return err
		}
	}
	return nil
}

// count counts what is left to another time.
func (w *Waiting) count(items []item.Item, now model.Time) {
	for _, it := range items {
		if n, err := item.Notice(it); err == nil && n.At.Add(fresh) <= now {
			w.Left++
			w.Oldest = max(w.Oldest, now.Sub(n.At))
		}
	}
}
