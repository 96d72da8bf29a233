package guide

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// Guide deploys a stage, by what its user chooses.
type Guide struct {
	// File is tidemark.yaml, and Parse reads it.
	File  string
	Parse func(text []byte) (*config.Config, error)
	// Known are choices that are not asked for. Unattended asks for none: what is missing has its default.
	Known      Choices
	Unattended bool
	In         io.Reader
	Out        io.Writer
	// Command runs a program. It returns what the program prints if quiet; otherwise the user sees it.
	Command func(ctx context.Context, quiet bool, words ...string) (string, error)
	// Price prints what events cost with the configuration.
	Price func(*config.Config) error
	// Verify sends test events through a stack in a Region and checks their rollups.
	Verify func(ctx context.Context, stack, region string) error

	settings *config.Config
	name     string // of the stage
	lines    *bufio.Scanner
}

// errStopped ends a guide that the user did not want to go on.
var errStopped = errors.New("stopped: nothing was deployed")

// Run asks, writes tidemark.yaml, prints the price, deploys, sends a test alarm and verifies. Nothing is
// written before all choices make a valid configuration, and nothing is deployed before the user agrees.
func (g *Guide) Run(ctx context.Context) error {
	text, err := os.ReadFile(g.File)
	if err != nil {
		return err
	}
	if g.settings, err = g.Parse(text); err != nil {
		return err
	}
	g.lines = bufio.NewScanner(g.In)
	next := text
	for _, q := range questions {
		if next, err = g.ask(ctx, q, next); err != nil {
			return err
		}
	}
	if err := g.write(text, next); err != nil {
		return err
	}
	if err := g.deploy(ctx); err != nil {
		return err
	}
	stack := "tidemark-" + g.name
	if err := g.testAlarm(ctx, stack); err != nil {
		return err
	}
	fmt.Fprintf(g.Out, "\nverify the installation: test events through %s, compared and deleted\n", stack)
	return g.Verify(ctx, stack, g.stage().Region)
}

// ask asks one question until the configuration with its choice is valid.
func (g *Guide) ask(ctx context.Context, q question, text []byte) ([]byte, error) {
	for {
		choice, known := g.Known[q.key]
		if !known {
			var err error
			if choice, err = g.read(ctx, q); err != nil {
				return nil, err
			}
		}
		if q.key == stageKey {
			g.name = choice
		}
		next, err := g.with(text, q, choice)
		switch {
		case err == nil:
			return next, nil
		case known || g.Unattended:
			return nil, usererr.Errorf("%s: %q: %w; %s is unchanged", q.key, choice, err, g.File)
		}
		fmt.Fprintf(g.Out, "  %q: %v\n", choice, err)
	}
}

// stage returns the stage as it is configured so far.
func (g *Guide) stage() config.Stage {
	for _, s := range g.settings.Stages {
		if s.Name == g.name {
			return s
		}
	}
	return config.Stage{Name: g.name}
}

// with returns the configuration with a choice.
func (g *Guide) with(text []byte, q question, choice string) ([]byte, error) {
	edits, err := q.edits(g.stage(), choice)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		if text, err = set(text, e.value, e.path...); err != nil {
			return nil, fmt.Errorf("set %s to %s: %w", strings.Join(e.path, "."), e.value, err)
		}
	}
	settings, err := g.Parse(text)
	if err != nil {
		return nil, err
	}
	g.settings = settings
	return text, nil
}

// read reads the choice of a question; an empty line is its default.
func (g *Guide) read(ctx context.Context, q question) (string, error) {
	fallback := q.fallback(g)
	if g.Unattended {
		return fallback, ctx.Err()
	}
	fmt.Fprintf(g.Out, "%s [%s]: ", q.text, fallback)
	line, err := g.line(ctx)
	if line == "" {
		line = fallback
	}
	return line, err
}

// line reads one line of the user.
func (g *Guide) line(ctx context.Context) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if !g.lines.Scan() {
		fmt.Fprintln(g.Out)
		return "", usererr.Errorf("the input has ended: to ask nothing, pass --choices FILE and --yes")
	}
	return strings.TrimSpace(g.lines.Text()), nil
}

// write shows the lines that change, and writes the file.
func (g *Guide) write(was, next []byte) error {
	if bytes.Equal(was, next) {
		fmt.Fprintf(g.Out, "\n%s has all of it already\n", g.File)
		return nil
	}
	fmt.Fprintf(g.Out, "\nwritten to %s:\n", g.File)
	before := strings.Split(string(was), "\n")
	for _, line := range strings.Split(string(next), "\n") {
		if !slices.Contains(before, line) {
			fmt.Fprintln(g.Out, "  "+line)
		}
	}
	written := g.File + ".new" // so that the file is replaced whole or not at all
	if err := os.WriteFile(written, next, 0o644); err != nil {
		return err
	}
	return os.Rename(written, g.File)
}
