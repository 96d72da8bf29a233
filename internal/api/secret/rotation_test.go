package secret_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/tidemark-db/tidemark/internal/api/secret"
)

// manager is Secrets Manager with one secret.
type manager struct {
	value           string
	puts            int
	noRead, noStore error
}

func (m *manager) GetSecretValue(
	context.Context, *secretsmanager.GetSecretValueInput, ...func(*secretsmanager.Options),
) (*secretsmanager.GetSecretValueOutput, error) {
	return &secretsmanager.GetSecretValueOutput{SecretString: &m.value}, m.noRead
}

func (m *manager) PutSecretValue(
	_ context.Context, in *secretsmanager.PutSecretValueInput, _ ...func(*secretsmanager.Options),
) (*secretsmanager.PutSecretValueOutput, error) {
	if m.noStore == nil {
		m.value = *in.SecretString
		m.puts++
	}
	return nil, m.noStore
}

func TestRotation_EachStepLeavesTheTextsThatItPromises(t *testing.T) {
	denied := errors.New("AccessDenied")
	begin := func(r secret.Rotation) error { _, err := r.Begin(t.Context()); return err }
	end := func(r secret.Rotation) error { return r.End(t.Context(), "") }
	endOwn := func(r secret.Rotation) error { return r.End(t.Context(), "new") }
	replace := func(r secret.Rotation) error { return r.Replace(t.Context()) }
	for _, c := range []struct {
		name         string
		step         func(secret.Rotation) error
		stored, want string
		err          error
	}{
		{name: "begin", step: begin, stored: "old\n", want: "new old"},
		{name: "begin twice", step: begin, stored: "new old", want: "new old", err: secret.ErrBegun},
		{name: "end", step: end, stored: "new old", want: "new"},
		{name: "end with several former texts", step: end, stored: "new\nold older", want: "new"},
		{name: "end twice", step: end, stored: "new", want: "new", err: secret.ErrNotBegun},
		{name: "end what one began", step: endOwn, stored: "new old", want: "new"},
		{name: "end after a change", step: endOwn, stored: "else old", want: "else old", err: secret.ErrChanged},
		{name: "replace", step: replace, stored: "leaked old", want: "new"},
	} {
		m := &manager{value: c.stored}
		r := secret.Rotation{Manager: m, ARN: "arn:1", NewText: func() string { return "new" }}
		if err := c.step(r); !errors.Is(err, c.err) || m.value != c.want {
			t.Errorf("%s: %q, %v; want %q, %v", c.name, m.value, err, c.want, c.err)
		}
		if c.err != nil && m.puts > 0 {
			t.Errorf("%s: the secret was written", c.name)
		}
		m = &manager{value: c.stored, noStore: denied}
		r.Manager = m
		if err := c.step(r); c.err == nil && !errors.Is(err, denied) || m.value != c.stored {
			t.Errorf("%s without the right to write: %q, %v", c.name, m.value, err)
		}
	}
	for name, m := range map[string]*manager{"denied": {value: "old", noRead: denied}, "empty": {value: " "}} {
		r := secret.Rotation{Manager: m, ARN: "arn:1", NewText: func() string { return "new" }}
		if err := begin(r); err == nil || m.puts > 0 {
			t.Errorf("%s: begun, want an error", name)
		}
	}
}
