package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const defaultKeepRejected = 30 * tier.Day24

// Rejection is what an asynchronous door could not take in and has nobody to tell.
type Rejection struct {
	Door    string        // as iot
	Origin  string        // the delivery and the place in it; a repeat of the delivery says the same
	Subject model.Subject // zero where not known
	Errors  []model.FieldError
	Payload []byte // whole, as it came
}

// SetAside puts r into quarantine. A repeat of the same delivery is kept once: the ID
// follows from origin and payload. The error means that r is not known to be kept,
// and the delivery must come again.
func (s *Service) SetAside(ctx context.Context, r Rejection) error {
	ctx, cancel := s.Patience.LeaveRoom(ctx)
	defer cancel()
	q := s.quarantined(r)
	_, err := s.send(ctx, func(ctx context.Context) (Reply, error) {
		answer, err := s.Quarantine.Quarantine(ctx, q)
		return Reply{Answer: answer}, err
	})
	if err != nil {
		return fmt.Errorf("quarantine what %s rejected: %w", r.Door, err)
	}
	return nil
}

func (s *Service) quarantined(r Rejection) model.Quarantined {
	now, keep := s.Now(), s.KeepRejected
	if keep == 0 {
		keep = defaultKeepRejected
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%d %s ", len(r.Origin), r.Origin)
	digest.Write(r.Payload)
	return model.Quarantined{
		ID:        hex.EncodeToString(digest.Sum(nil)[:16]),
		Door:      r.Door,
		Subject:   r.Subject,
		Reason:    reasonOf(r.Errors),
		Errors:    r.Errors,
		Payload:   r.Payload,
		ArrivedAt: now,
		ExpiresAt: now.Add(keep).Seconds(),
	}
}

// reasonOf is one sentence for people.
func reasonOf(errs []model.FieldError) string {
	switch len(errs) {
	case 0:
		return "rejected"
	case 1:
		return errs[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", errs[0].Error(), len(errs)-1)
}
