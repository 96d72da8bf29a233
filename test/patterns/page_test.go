package patterns

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const head = `# Access patterns

Every read and write of the table with its cost: one Get, or one Query for each page and shard.
This page is generated. A test makes each request and records what DynamoDB would receive and what it
costs, for a device with hourly readings for seven weeks and daily ones for a year before, and a
website with 400 page views a day. A read unit is 4 KB, read strongly consistent; reads are eventually
consistent by default, at half the price. ` + "`go test ./test/patterns -update`" + ` writes the page.

The Go code uses public packages: ` + "`readings` and `views`" + ` are opened with timeseries.Open,
` + "`sites`" + ` are readings.Groups("site"), ` + "`subjects`" + ` is a lifecycle.Service and ` + "`purger`" + ` a lifecycle.Purger.
` + "`sensor` and `mySite`" + ` are keys: timeseries.Key{Subject: "sensor_01"}. A pattern without Go code is
available over HTTP and on the command line only.

The same as a model for NoSQL Workbench: [tidemark-data-model.json](../inside/tidemark-data-model.json).
Every route with its parameters and responses: ` + "`GET /openapi.json`" + `.

` + "```go" + `
%s` + "```" + `

`

// page returns docs/use/ACCESS-PATTERNS.md.
func page(ctx context.Context) (string, error) {
	goCalls, err := calls()
	if err != nil {
		return "", err
	}
	declared, err := declaredTypes()
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
	for _, g := range all {
		fmt.Fprintf(out, "\n## %s\n", g.name)
		for _, p := range g.patterns {
			requests, err := server.of(ctx, p)
			if err != nil || len(requests) == 0 {
				return "", fmt.Errorf("%s: %d requests, %w", p.about, len(requests), err)
			}
			cost, err := measureCost(ctx, full, p, requests)
			if err != nil {
				return "", fmt.Errorf("%s: %w", p.about, err)
			}
			fmt.Fprintf(matrix, "| [%s](#%s) | %s | %d | %s |\n", p.about, anchor(p.about), requests[0].index(),
				len(requests), cost)
			p.write(out, full.kinds, goCalls[p.about], requests, cost)
		}
	}
	return fmt.Sprintf(head, declared) + matrix.String() + out.String(), nil
}

// write writes the section of one pattern.
func (p pattern) write(out *strings.Builder, kinds *catalog.Catalog, goCall string, requests []request,
	cost string) {
	fmt.Fprintf(out, "\n### %s\n\n", p.about)
	if goCall != "" {
		fmt.Fprintf(out, "```go\n%s\n```\n\n", goCall)
	}
	rows := [][2]string{{"HTTP", "`" + p.http(kinds) + "`"}}
	if p.command != "" {
		rows = append(rows, [2]string{"command", "`" + p.command + "`"})
	}
	rows = append(rows, [2]string{"request", "`" + strings.ReplaceAll(requests[0].text(), "|", `\|`) + "`"})
	if len(requests) > 1 {
		rows = append(rows, [2]string{"requests",
			fmt.Sprintf("%d like this, one for each shard, kind, stream or step", len(requests))})
	}
	rows = append(rows, [2]string{"index", requests[0].index()}, [2]string{"cost", cost})
	fmt.Fprintln(out, "| | |\n|---|---|")
	for _, r := range rows {
		fmt.Fprintf(out, "| %s | %s |\n", r[0], r[1])
	}
}

// http returns the HTTP request of the pattern; "" if the catalog has no such route.
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

// measureCost returns the cost of the pattern on the seeded table; for a transaction, by its
// number of items.
func measureCost(ctx context.Context, full *world, p pattern, requests []request) (string, error) {
	if writes := len(requests[0].TransactItems); writes > 0 {
		return fmt.Sprintf("%d write units for items up to 1 KB", 2*writes), nil
	}
	if _, err := p.run(ctx, full); err != nil { // it also reads the table's configuration
		return "", err
	}
	ctx, meter := model.WithReadMeter(ctx)
	if _, err := p.run(ctx, full); err != nil {
		return "", err
	}
	cost := meter.Cost()
	return counted(cost.Units, "read unit") + " for " + counted(float64(cost.Items), "item"), nil
}

// counted returns a number with its unit, in the plural if it is not 1.
func counted(n float64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%g %s", n, thing)
}

// anchor returns the link target of a heading.
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
