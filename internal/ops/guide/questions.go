package guide

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Choices are what a stage must have, by the keys of the questions.
type Choices map[string]string

// edit sets one value of tidemark.yaml.
type edit struct {
	path  []string
	value string // YAML on one line
}

// none chooses nothing.
const none = "none"

// question is one thing that a stage must have.
type question struct {
	key, text string
	// fallback is the choice of an empty line: what the stage has.
	fallback func(*Guide) string
	// edits returns what a choice sets for a stage. An error says what a choice looks like.
	edits func(stage config.Stage, choice string) ([]edit, error)
}

// The keys of the questions, also in a file of choices.
const (
	stageKey     = "stage"
	placeKey     = "place"
	sourcesKey   = "sources"
	retentionKey = "retention"
	readersKey   = "readers"
	mailKey      = "alarmMail"
)

var questions = []question{
	{
		key: stageKey, text: "Name of the stage",
		fallback: func(*Guide) string { return "prod" }, edits: nameEdits,
	},
	{key: placeKey, text: "AWS account and Region", fallback: (*Guide).place, edits: placeEdits},
	{
		key: sourcesKey, text: "Senders beside the HTTP API: " + strings.Join(sources, ", ") + ", or none",
		fallback: (*Guide).sources, edits: sourceEdits,
	},
	{
		key: retentionKey, text: "How long single events are kept",
		fallback: (*Guide).retention, edits: retentionEdits,
	},
	{
		key: readersKey, text: "Who may read: iam, or the issuer and the audience of tokens",
		fallback: (*Guide).readers, edits: readerEdits,
	},
	{key: mailKey, text: "Address for alarms, or none", fallback: (*Guide).mail, edits: mailEdits},
}

// Keys returns the keys that a file of choices may have.
func Keys() (keys []string) {
	for _, q := range questions {
		keys = append(keys, q.key)
	}
	return keys
}

// retention is what the configuration has.
func (g *Guide) retention() string { return fmt.Sprintf("%dd", g.settings.Retention.Raw/tier.Day24) }

func (g *Guide) sources() string {
	has := g.stage().Sources
	var named []string
	for i, on := range []bool{len(has.Things) > 0, has.Pages, has.Senders, has.SQS, has.Kinesis} {
		if on {
			named = append(named, sources[i])
		}
	}
	return cmp.Or(strings.Join(named, " "), none)
}

func (g *Guide) readers() string {
	if a := g.stage().Access; a.ByToken() {
		return a.Issuer + " " + a.Audience[0]
	}
	return "iam"
}

func (g *Guide) mail() string { return cmp.Or(g.stage().AlarmMail, none) }

var stageName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,19}$`)

// nameEdits begin a stage as production is meant: its table stays when the stack is deleted.
func nameEdits(stage config.Stage, _ string) ([]edit, error) {
	if !stageName.MatchString(stage.Name) {
		return nil, fmt.Errorf("want up to 20 small letters, digits and hyphens, beginning with a letter")
	}
	if stage.Removal != "" {
		return nil, nil // it is declared
	}
	return []edit{{[]string{"stages", stage.Name, "removal"}, "retain"}}, nil
}

var place = regexp.MustCompile(`^(\d{12})[ ,]+([a-z]{2}(?:-[a-z]+)+-\d)$`)

func placeEdits(stage config.Stage, choice string) ([]edit, error) {
	found := place.FindStringSubmatch(choice)
	if found == nil {
		return nil, fmt.Errorf("want 12 digits and a Region, as in 123456789012 eu-central-1")
	}
	return []edit{
		{[]string{"stages", stage.Name, "account"}, strconv.Quote(found[1])},
		{[]string{"stages", stage.Name, "region"}, found[2]},
	}, nil
}

// sources are what may send beside the HTTP API. things are devices of AWS IoT Core.
var sources = []string{"things", "pages", "senders", "sqs", "kinesis"}

func sourceEdits(stage config.Stage, choice string) (edits []edit, err error) {
	named := strings.FieldsFunc(choice, func(r rune) bool { return r == ' ' || r == ',' })
	for _, name := range named {
		if name != none && !slices.Contains(sources, name) {
			return nil, fmt.Errorf("%q is not a source: want some of %s, or none",
				name, strings.Join(sources, ", "))
		}
	}
	for _, name := range sources {
		value := strconv.FormatBool(slices.Contains(named, name))
		if name == "things" { // a list of subject types; one that is declared stays
			types := stage.Sources.Things
			if len(types) == 0 {
				types = config.NewStage("").Sources.Things
			}
			value = map[string]string{"true": "[" + strings.Join(types, ", ") + "]", "false": "[]"}[value]
		}
		edits = append(edits, edit{[]string{"stages", stage.Name, "sources", name}, value})
	}
	return edits, nil
}

var days = regexp.MustCompile(`^[1-9]\d{0,3}d$`)

func retentionEdits(_ config.Stage, choice string) ([]edit, error) {
	if !days.MatchString(choice) {
		return nil, fmt.Errorf("want days, as in 30d")
	}
	return []edit{{[]string{"tiers", "raw"}, choice}}, nil
}

func readerEdits(stage config.Stage, choice string) ([]edit, error) {
	path := []string{"stages", stage.Name, "access"}
	if choice == "iam" {
		return []edit{{path, choice}}, nil
	}
	if a := stage.Access; a.ByToken() && choice == a.Issuer+" "+a.Audience[0] {
		return nil, nil // with its claims
	}
	issuer, audience, _ := strings.Cut(choice, " ")
	at, err := url.Parse(issuer)
	audience = strings.TrimSpace(audience)
	if err != nil || at.Scheme != "https" || at.Host == "" || audience == "" {
		return nil, fmt.Errorf("want iam, or an issuer and an audience: https://login.example.com tidemark")
	}
	return []edit{{path, fmt.Sprintf("{issuer: %q, audience: [%q]}", issuer, audience)}}, nil
}

func mailEdits(stage config.Stage, choice string) ([]edit, error) {
	if choice == none {
		choice = ""
	} else if !strings.Contains(choice, "@") || strings.ContainsAny(choice, " \t,") {
		return nil, fmt.Errorf("want one address as team@example.com, or none")
	}
	return []edit{{[]string{"stages", stage.Name, "alarmMail"}, strconv.Quote(choice)}}, nil
}
