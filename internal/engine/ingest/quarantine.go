package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const defaultQuarantineRetention = 30 * tier.Day24

// Rejection is an observation that an asynchronous source rejected. There is no caller to
// return its errors to.
type Rejection struct {
	Source  string         // for example iot
	Origin  string         // the delivery and the position in it; a repeated delivery has the same
	Subject model.Subject  // zero if not known
	Sender  storage.Sender // as the source decided it
	Errors  []model.FieldError
	Payload []byte // complete, as received
}

// Quarantine stores r in the quarantine. Its ID is derived from Origin and Payload, so a repeated delivery is
// stored once. If it returns an error, r may not be stored, and the source must deliver it again.
func (s *Service) Quarantine(ctx context.Context, r Rejection) error {
	ctx, cancel := retry.WithHeadroom(ctx, s.Headroom)
	defer cancel()
	q := s.quarantined(r)
	_, err := s.send(ctx, func(ctx context.Context) (storage.StoreResult, error) {
		result, err := s.QuarantineStore.Quarantine(ctx, q)
		return storage.StoreResult{Result: result}, err
	})
	if err != nil {
		return fmt.Errorf("quarantine a rejected observation of source %s: %w", r.Source, err)
	}
	return nil
}

func (s *Service) quarantined(r Rejection) storage.Quarantined {
	now, retention := s.Now(), cmp.Or(s.QuarantineRetention, defaultQuarantineRetention)
	digest := sha256.New()
	fmt.Fprintf(digest, "%d %s ", len(r.Origin), r.Origin)
	digest.Write(r.Payload)
	return storage.Quarantined{
		ID:        hex.EncodeToString(digest.Sum(nil)[:16]),
		Source:    r.Source,
		Subject:   r.Subject,
		Sender:    r.Sender,
		Reason:    joinReasons(r.Errors),
		Errors:    r.Errors,
		Payload:   r.Payload,
		ArrivedAt: now,
		ExpiresAt: now.Add(retention).Seconds(),
	}
}

// joinReasons returns one sentence for people.
func joinReasons(errs []model.FieldError) string {
	switch len(errs) {
	case 0:
		return "rejected"
	case 1:
		return errs[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", errs[0].Error(), len(errs)-1)
}
