package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Publisher delivers notifications to subscribers. Implementations are safe for concurrent use.
type Publisher interface {
	// Publish delivers at most MaxNotifications notifications by one request. accepted
	// says for each, at the same index, whether it was certainly accepted. A notification
	// that is not reported as accepted may have been delivered too.
	Publish(ctx context.Context, notifications []storage.Notification) (accepted []bool, err error)
}

// MaxNotifications is the largest number of notifications of one request to a Publisher.
const MaxNotifications = 10

// Deliver delivers notifications that were just stored, once, and returns how many were accepted. The others
// stay stored, and DeliverPending delivers them later, so the caller need not handle the error.
func (s *Service) Deliver(ctx context.Context,
	notifications []storage.Notification) (delivered int, err error) {
	if s.Publisher == nil {
		return 0, nil
	}
	for len(notifications) > 0 && ctx.Err() == nil {
		n := min(len(notifications), MaxNotifications)
		accepted, failure := s.Publisher.Publish(ctx, notifications[:n])
		if failure != nil {
			err = errors.Join(err, fmt.Errorf("deliver notifications of %d alerts: %w", n, failure))
		}
		before := delivered
		for i := range notifications[:n] {
			if i < len(accepted) && accepted[i] {
				delivered++
				err = errors.Join(err, s.markDelivered(ctx, &notifications[i]))
			}
		}
		if failure != nil && delivered == before {
			return delivered, err // the publisher is not available: do not block the caller
		}
		notifications = notifications[n:]
	}
	return delivered, err
}

// markDelivered removes a notification from the list of undelivered ones and lets it
// expire. If this fails, the notification is delivered again.
func (s *Service) markDelivered(ctx context.Context, n *storage.Notification) error {
	done := *n
	done.ExpiresAt = s.Now().Add(tier.Day24).Seconds()
	result, err := s.Store.PutAll(ctx,
		[]itemop.Put{{Item: notificationItem(&done), Precondition: itemop.Precondition{{Op: itemop.ItemExists}}}})
	if err == nil && result != storage.Written && result != storage.ConditionFailed {
		err = fmt.Errorf("mark a notification as delivered: result %s; it will be delivered again", result)
	}
	return err
}

// DeliveryResult is what DeliverPending did.
type DeliveryResult struct {
	Delivered int
	Left      int           // not delivered
	Oldest    time.Duration // age of the oldest notification that is not delivered
}

// firstDeliveryTime is how long a notification is left to the process that stored it.
const firstDeliveryTime = 15 * time.Second

// DeliverPending delivers the undelivered notifications, oldest first, until the context ends. Refused
// notifications are left for the next call. It returns what it did even if it returns an error.
func (s *Service) DeliverPending(ctx context.Context) (done DeliveryResult, err error) {
	now := s.Now()
	for shard := range indexShards {
		request := itemop.ListRequest{Index: keys.IndexGSI1, Partition: tablekeys.OutboxPartition(shard)}
		for items, failure := range itemop.Pages(ctx, s.Store, request) {
			if failure != nil {
				err = errors.Join(err, fmt.Errorf("list the undelivered notifications: %w", failure))
				break
			}
			err = errors.Join(err, s.deliverPage(ctx, items, now, &done))
		}
	}
	return done, err
}

func (s *Service) deliverPage(ctx context.Context, items []item.Item, now model.Time,
	done *DeliveryResult) error {
	for from := 0; from < len(items); from += MaxNotifications {
		var due []storage.Notification
		for _, it := range items[from:min(len(items), from+MaxNotifications)] {
			if n, err := item.Notification(it); err == nil && n.ExpiresAt == 0 && n.At.Add(firstDeliveryTime) <= now {
				due = append(due, n)
			}
		}
		if len(due) == 0 {
			continue
		}
		delivered, err := s.Deliver(ctx, due)
		done.Delivered += delivered
		if left := len(due) - delivered; left > 0 {
			done.Left += left
			done.Oldest = max(done.Oldest, now.Sub(due[0].At))
		}
		if err != nil {
			done.countRemaining(items[min(len(items), from+MaxNotifications):], now)
			return err
		}
	}
	return nil
}

// countRemaining counts notifications that were not tried.
func (w *DeliveryResult) countRemaining(items []item.Item, now model.Time) {
	for _, it := range items {
		if n, err := item.Notification(it); err == nil && n.At.Add(firstDeliveryTime) <= now {
			w.Left++
			w.Oldest = max(w.Oldest, now.Sub(n.At))
		}
	}
}
