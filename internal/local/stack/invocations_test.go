package stack

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/selfinvoke"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// Aggregate invokes itself in a stack as it does when deployed: with its environment, by the same request.
func TestStack_ServesTheInvocationsByWhichAggregateInvokesItself(t *testing.T) {
	dir := t.TempDir()
	s := startStack(t, func(o *Options) { o.Dir = dir })
	env := map[string]string{}
	for _, variable := range s.ownInvocations() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	self, err := selfinvoke.FromEnv(t.Context(), func(name string) string { return env[name] })
	if err != nil || self == nil {
		t.Fatal(self, err)
	}
	late := envelope.Handover{Hop: 3, Until: time.Now().Add(-time.Minute)}
	if err := self.InvokeEvent(t.Context(), late.Payload()); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		log, err := os.ReadFile(filepath.Join(dir, "logs", aggregate+".log"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(log), `"msg":"handover of a sweep has ended","hop":3`) {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("aggregate was not invoked: %s", log)
		}
	}
	env[config.EnvSelf] = strings.TrimSuffix(env[config.EnvSelf], aggregate) + purge
	other, err := selfinvoke.FromEnv(t.Context(), func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := other.InvokeEvent(t.Context(), late.Payload()); err == nil {
		t.Error("another function is invoked, which no role allows")
	}
	resp, err := http.Post(env[selfinvoke.EnvEndpoint]+"/2015-03-31/functions/"+deployedName(aggregate)+
		"/invocations", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a request that waits for its response: %s, want 400", resp.Status)
	}
}
