package main

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestCursorKeys_AreASecretExceptInALocalStack(t *testing.T) {
	const arn, long, local = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cursor",
		"a-fresh-secret-of-the-stage the-secret-before-it", "http://127.0.0.1:8000"
	for name, c := range map[string]struct {
		key, secret, endpoint string
		want                  string // the keys, first the one that signs; "" for an error
	}{
		"deployed":                    {"", arn, "", "a-fresh-secret-of-the-stage|the-secret-before-it"},
		"deployed without one":        {"", "", "", ""},
		"unreadable":                  {"", "arn:of:another", "", ""},
		"unreadable in a local stack": {"", "arn:of:another", local, ""},
		"too short":                   {"short", "", "", ""},
		"an older too short":          {"a-long-secret-of-mine short", "", "", ""},
		"in a local stack":            {"", "", local, localCursorKey},
		"a local stack's own":         {"a-long-secret-of-the-local", "", local, "a-long-secret-of-the-local"},
		"from the environment":        {"a-long-secret-of-mine", arn, "", "a-long-secret-of-mine"},
	} {
		env := map[string]string{envCursorKey: c.key, config.EnvCursorSecret: c.secret,
			config.EnvEndpoint: c.endpoint}
		read := func(_ context.Context, name string) (string, error) {
			if name != arn {
				return "", errors.New("access denied")
			}
			return long, nil
		}
		keys, err := cursorKeys(t.Context(), func(name string) string { return env[name] }, read)
		if got := string(bytes.Join(keys, []byte("|"))); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// tableConfig is a table without a configuration, or one that cannot be read.
type tableConfig struct {
	stored *storage.KindConfig
	err    error
}

func (c *tableConfig) KindConfig(context.Context, string) (*storage.KindConfig, error) {
	return c.stored, c.err
}

// A tier that becomes deferred is read in another way, so a function that lives on reads the
// configuration again. It serves nothing by a configuration that it cannot read.
func TestFunction_FollowsTheConfigurationOfTheTable(t *testing.T) {
	now, table := model.Time(0), &tableConfig{}
	var built []tier.Policy
	f := &function{tableconfig.Built[*Handler]{
		Current: &tableconfig.Current{Table: table, Now: func() model.Time { return now }, Declare: config.Default(iot.Kinds()...).Catalog},
		Build: func(kinds *catalog.Catalog) *Handler {
			built = append(built, kinds.Kinds[0].Retention)
			return &Handler{Catalog: kinds}
		},
	}}
	for range 2 {
		if _, err := f.Value(t.Context()); err != nil || len(built) != 1 || !built[0].HasDeferred() {
			t.Fatalf("%v; built %d handlers, want one with deferred tiers", err, len(built))
		}
	}
	table.stored = &storage.KindConfig{Kind: "READING", SubjectType: "DEVICE", Shards: 1, Raw: 30 * tier.Day24,
		LeastRaw: 30 * tier.Day24,
		Tiers:    []storage.TierConfig{{Unit: "hour", Retention: 90 * tier.Day24, Least: 90 * tier.Day24}}}
	now = now.Add(tableconfig.MaxAge)
	if _, err := f.Value(t.Context()); err != nil || len(built) != 2 || built[1].HasDeferred() {
		t.Errorf("%v; built %d handlers, want another with immediate tiers", err, len(built))
	}
	now = now.Add(tableconfig.MaxAge)
	table.err = errors.New("table unreachable")
	if _, err := f.Handle(t.Context(), nil); !errors.Is(err, table.err) {
		t.Errorf("error %v, want the table's", err)
	}
}
