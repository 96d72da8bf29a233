package httpapi_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

func TestHeader_IgnoresCase(t *testing.T) {
	t.Parallel()
	r := httpapi.Request{Headers: map[string]string{"CONTENT-type": "a/b"}}
	if got := r.Header("Content-Type"); got != "a/b" {
		t.Errorf("got %q, want a/b", got)
	}
	if got := r.Header("Accept"); got != "" {
		t.Errorf("missing header: got %q, want none", got)
	}
}

func TestCaller_IsTheTokensSubjectOrTheSigner(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:iam::123456789012:user/ops"
	for want, r := range map[string]httpapi.Request{
		"u1":   {Claims: map[string]string{"sub": "u1"}, UserARN: arn},
		arn:    {UserARN: arn},
		"http": {},
	} {
		if got := r.Caller(); got != want {
			t.Errorf("%+v: got %s, want %s", r, got, want)
		}
	}
}
