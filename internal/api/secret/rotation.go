package secret

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// SeenWithin is how long after a change of a secret every process uses its texts, at the latest: FreshFor,
// and a margin for the request that reads them.
const SeenWithin = FreshFor + 10*time.Second

// Manager is the part of the SDK's client for Secrets Manager that a Rotation calls.
type Manager interface {
	GetSecretValue(
		ctx context.Context, in *secretsmanager.GetSecretValueInput, options ...func(*secretsmanager.Options),
	) (*secretsmanager.GetSecretValueOutput, error)
	PutSecretValue(
		ctx context.Context, in *secretsmanager.PutSecretValueInput, options ...func(*secretsmanager.Options),
	) (*secretsmanager.PutSecretValueOutput, error)
}

var _ Manager = (*secretsmanager.Client)(nil)

// The errors of a Rotation.
var (
	// ErrBegun: the secret has a former text already.
	ErrBegun = errors.New("a rotation has begun, and the former text is still accepted: end it first")
	// ErrNotBegun: the secret has one text, so there is none to end.
	ErrNotBegun = errors.New("no rotation has begun: the secret has one text")
	// ErrChanged: other texts were stored during the rotation. They stay.
	ErrChanged = errors.New("the secret was changed meanwhile: read it, and decide which text signs")
)

// Rotation replaces the text of a secret while both are accepted for a time. Each step can be repeated after
// a failure: a step that was done already returns ErrBegun or ErrNotBegun, and changes nothing. Secrets
// Manager has no conditional write, so that only one person may rotate a secret at a time.
type Rotation struct {
	Manager Manager
	ARN     string
	NewText func() string // returns a long random text without white space
}

// Begin stores a new text before the present one, and returns it. Every process signs with it, and accepts
// both, after SeenWithin.
func (r Rotation) Begin(ctx context.Context) (fresh string, err error) {
	texts, err := r.texts(ctx)
	switch {
	case err != nil:
		return "", err
	case len(texts) > 1:
		return "", ErrBegun
	}
	fresh = r.NewText()
	return fresh, r.put(ctx, fresh, texts[0])
}

// End removes every text but the first, which must be the text that Begin returned; "" if that is not known.
// Former texts are refused after SeenWithin.
func (r Rotation) End(ctx context.Context, fresh string) error {
	texts, err := r.texts(ctx)
	switch {
	case err != nil:
		return err
	case fresh != "" && texts[0] != fresh:
		return ErrChanged
	case len(texts) == 1:
		return ErrNotBegun
	}
	return r.put(ctx, texts[0])
}

// Replace stores a new text and removes all others at once: for a text that leaked. What it signed is refused
// after SeenWithin.
func (r Rotation) Replace(ctx context.Context) error { return r.put(ctx, r.NewText()) }

func (r Rotation) texts(ctx context.Context) ([]string, error) {
	out, err := r.Manager.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &r.ARN})
	if err != nil {
		return nil, fmt.Errorf("read secret %s: %w", r.ARN, err)
	}
	texts := strings.Fields(aws.ToString(out.SecretString))
	if len(texts) == 0 {
		return nil, fmt.Errorf("read secret %s: it has no text: store a long random one in it", r.ARN)
	}
	return texts, nil
}

func (r Rotation) put(ctx context.Context, texts ...string) error {
	value := strings.Join(texts, " ")
	in := &secretsmanager.PutSecretValueInput{SecretId: &r.ARN, SecretString: &value}
	if _, err := r.Manager.PutSecretValue(ctx, in); err != nil {
		return fmt.Errorf("store secret %s: %w", r.ARN, err)
	}
	return nil
}
