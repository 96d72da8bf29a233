package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// evaluator evaluates alert rules and delivers notifications.
type evaluator interface {
	// Evaluate evaluates the rules of the series that changed. It reports the indexes of
	// the changes whose series could not be evaluated.
	Evaluate(ctx context.Context, changes []storage.Change) alert.Report
	// Deliver publishes notifications once. DeliverPending retries those that fail.
	Deliver(ctx context.Context, notifications []storage.Notification) (delivered int, err error)
	DeliverPending(ctx context.Context) (alert.DeliveryResult, error)
	// EndAlertsOfRemovedRules ends alerts that were raised by rules that had just been removed.
	EndAlertsOfRemovedRules(ctx context.Context) (ended int, err error)
	// TestNewRules evaluates series by rules that were just added.
	TestNewRules(ctx context.Context) error
	// FindSilent evaluates series by the rules of silence that are due.
	FindSilent(ctx context.Context) error
}

var _ evaluator = (*alert.Service)(nil)

// deliveryTimeout limits how long a batch waits for its notifications to be published. The
// schedule delivers the rest.
const deliveryTimeout = 5 * time.Second

// evaluateAlerts evaluates the rules of the changed series and delivers the notifications. It
// adds the changes that could not be evaluated to failed. A failed delivery does not fail
// the batch: the notification is stored, and the schedule delivers it.
func (h *handler) evaluateAlerts(ctx context.Context, changes []storage.Change,
	failed map[string]error) telemetry.Counts {
	if h.alerts == nil {
		return nil
	}
	failures, counts := h.evaluate(ctx, changes)
	for _, f := range failures {
		failed[changes[f.Change].Seq] = f.Err
	}
	return counts
}

// evaluateGroups evaluates the rules of groups whose rows were written.
func (h *handler) evaluateGroups(ctx context.Context, buckets []storage.Change) map[model.Series]error {
	failures, counts := h.evaluate(ctx, buckets)
	if counts != nil {
		h.emit("", counts)
	}
	failed := map[model.Series]error{}
	for _, f := range failures {
		failed[buckets[f.Change].Key.Series] = f.Err
	}
	return failed
}

func (h *handler) evaluate(
	ctx context.Context, changes []storage.Change,
) ([]alert.Failure, telemetry.Counts) {
	report := h.alerts.Evaluate(ctx, changes)
	for _, note := range report.Notes {
		h.log.Error("alert rules not evaluated", telemetry.FieldError, note)
	}
	deliveryCtx, cancel := context.WithTimeout(ctx, deliveryTimeout)
	defer cancel()
	delivered, err := h.alerts.Deliver(deliveryCtx, report.Notifications)
	if err != nil {
		h.log.Warn("alert notifications not delivered", "waiting", len(report.Notifications)-delivered,
			telemetry.FieldError, err.Error())
	}
	for i := range report.Notifications {
		h.logAlert(&report.Notifications[i])
	}
	if report.Evaluated == 0 {
		return report.Failures, nil // without rules, the metrics would only add to the bill
	}
	return report.Failures, telemetry.Counts{
		telemetry.AlertEvaluations:        float64(report.Evaluated),
		telemetry.AlertsRaised:            float64(report.Raised),
		telemetry.AlertsRecovered:         float64(report.Recovered),
		telemetry.AlertsWithdrawn:         float64(report.Withdrawn),
		telemetry.AlertsDelivered:         float64(delivered),
		telemetry.AlertsUndelivered:       float64(len(report.Notifications) - delivered),
		telemetry.AlertEvaluationFailures: float64(report.Damaged),
	}
}

// logAlert logs a change of an alert without measured values; its id finds them.
func (h *handler) logAlert(n *storage.Notification) {
	level := slog.LevelInfo
	if n.Change == storage.AlertChangeRaised || n.Change == storage.AlertChangePassed {
		level = slog.LevelWarn
	}
	h.log.Log(context.Background(), level, "alert "+string(n.Change), "alert", n.Alert.ID, telemetry.FieldSeries,
		n.Alert.Series.String(),
		"rule", n.Alert.Rule, "severity", string(n.Alert.Severity))
}

// silenceTimeout limits how long a scheduled event looks for silent series; the next one looks for the rest.
const silenceTimeout = 20 * time.Second

func (h *handler) findSilent(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, silenceTimeout)
	defer cancel()
	return h.alerts.FindSilent(ctx)
}

// deliverPending delivers waiting notifications, ends the open alerts of removed rules, tests new rules and
// finds silent series.
// Failures are logged, and the next scheduled event retries.
func (h *handler) deliverPending(ctx context.Context) alert.DeliveryResult {
	readBefore, writeBefore := h.units()
	ended, err := h.alerts.EndAlertsOfRemovedRules(ctx)
	if err != nil {
		h.log.Error("alerts of removed rules not ended", telemetry.FieldError, err.Error())
	}
	if err := h.alerts.TestNewRules(ctx); err != nil {
		h.log.Error("new rules not tested", telemetry.FieldError, err.Error())
	}
	if err := h.findSilent(ctx); err != nil {
		h.log.Error("silent series not found", telemetry.FieldError, err.Error())
	}
	result, err := h.alerts.DeliverPending(ctx)
	if err != nil {
		h.log.Error("alert notifications not delivered", "waiting", result.Left, telemetry.FieldError, err.Error())
	}
	if result.Delivered+ended > 0 {
		h.log.Info("alerts", "delivered", result.Delivered, "ended", ended)
	}
	if result.Delivered+result.Left+ended == 0 && err == nil {
		return result // zeros would be billed every minute
	}
	read, write := h.units()
	h.emit("", telemetry.Counts{
		telemetry.AlertsDelivered:    float64(result.Delivered),
		telemetry.AlertsWaiting:      float64(result.Left),
		telemetry.OldestAlertWaiting: result.Oldest.Seconds(),
		telemetry.ReadUnits:          read - readBefore,
		telemetry.WriteUnits:         write - writeBefore,
	})
	return result
}
