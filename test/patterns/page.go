package patterns

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const head = `# Access patterns

Everything that is asked of the table, and what it takes: one Get, or one Query a page (and
shard). This page is written by carrying each pattern out: the request is what the table was
sent, the cost what it came to on a device with hourly readings of seven weeks before a year of
daily ones, and a website with 400 page views a day. A read unit is 4 KB read strongly
consistent; reads are eventually consistent unless asked otherwise, at half the price. To write
it anew: ` + "`go test ./test/patterns -update`" + `.

In Go, ` + "`query`, `life`, `purger`, `alerts` and `ingest`" + ` are the services of the packages of these
names (life and purger of pkg/lifecycle, alerts of internal/alert), and ` + "`series`" + ` names a kind and a
subject; pkg/timeseries asks the same of a type of your own.

The same as a model for NoSQL Workbench: [tidemark-data-model.json](tidemark-data-model.json).
Every route with its parameters and answers: ` + "`GET /openapi.json`" + `.

`

// page is docs/ACCESS-PATTERNS.md.
func page(ctx context.Context) (string, error) {
	goCalls, err := calls()
	if err != nil {
		return "", err
	}
	full, _, err := seeded(ctx)
	if err != nil {
		return "", err
	}
	server := newRecorder()
	defer server.Close()
	out, matrix := &strings.Builder{}, &strings.Builder{}
	matrix.WriteString("| pattern | index | requests | cost |\n|---|---|---|---|\n")
	n := 0
	for _, g := range all {
		fmt.Fprintf(out, "\n## %s\n", g.name)
		for _, p := range g.patterns {
			requests, err := server.of(ctx, p)
			if err != nil || len(requests) == 0 {
				return "", fmt.Errorf("%s: %d requests, %w", p.about, len(requests), err)
			}
			cost, err := costOf(ctx, full, p, requests)
			if err != nil {
				return "", fmt.Errorf("%s: %w", p.about, err)
			}
			fmt.Fprintf(matrix, "| [%s](#%s) | %s | %d | %s |\n", p.about, anchor(p.about), requests[0].index(), len(requests), cost)
			p.write(out, full.kinds, goCalls[n], requests, cost)
			n++
		}
	}
	return head + matrix.String() + out.String(), nil
}

// write is the section of one pattern.
func (p pattern) write(out *strings.Builder, kinds *catalog.Catalog, goCall string, requests []request, cost string) {
	fmt.Fprintf(out, "\n### %s\n\n", p.about)
	fmt.Fprintf(out, "```go\n%s\n```\n\n", strings.ReplaceAll(goCall, "\t\t\t\t\t", "\t"))
	rows := [][2]string{{"HTTP", "`" + p.http(kinds) + "`"}}
	if p.command != "" {
		rows = append(rows, [2]string{"command", "`" + p.command + "`"})
	}
	rows = append(rows, [2]string{"request", "`" + strings.ReplaceAll(requests[0].said(), "|", `\|`) + "`"})
	if len(requests) > 1 {
		rows = append(rows, [2]string{"requests", fmt.Sprintf("%d, the others alike: shards, kinds, streams or steps", len(requests))})
	}
	rows = append(rows, [2]string{"index", requests[0].index()}, [2]string{"cost", cost})
	fmt.Fprintln(out, "| | |\n|---|---|")
	for _, r := range rows {
		fmt.Fprintf(out, "| %s | %s |\n", r[0], r[1])
	}
}

// http is the request that the pattern is over HTTP; "" where the catalog has no such
// route.
func (p pattern) http(kinds *catalog.Catalog) string {
	for _, r := range httpapi.Routes(kinds) {
		if r.Action != p.action || r.Kind != p.of {
			continue
		}
		path, words := "", p.words
		for _, part := range strings.Split(strings.TrimPrefix(r.Path, "/"), "/") {
			if strings.HasPrefix(part, "{") && len(words) > 0 {
				part, words = words[0], words[1:]
			}
			path += "/" + part
		}
		if p.params != "" {
			path += "?" + p.params
		}
		return r.Method + " " + path
	}
	return ""
}

// costOf is what the pattern costs on the seeded table; a transaction by its items.
func costOf(ctx context.Context, full *world, p pattern, requests []request) (string, error) {
	if writes := len(requests[0].TransactItems); writes > 0 {
		return fmt.Sprintf("%d write units for items up to 1 KB", 2*writes), nil
	}
	ctx, meter := model.WithReadMeter(ctx)
	if _, err := p.call(ctx, full); err != nil {
		return "", err
	}
	cost := meter.Cost()
	return counted(cost.Units, "read unit") + " for " + counted(float64(cost.Items), "item"), nil
}

// counted is a number of things.
func counted(n float64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%g %s", n, thing)
}

// anchor is a heading as a link names it.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return -1
	}, strings.ToLower(heading))
}
