package tidemarkcdk

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// longestName is how long the names of functions and of rules of EventBridge may be, in characters.
const longestName = 64

// namedResources are resources of one type. Each has its own name.
type namedResources struct {
	what    string
	accepts *regexp.Regexp // nil for any text
	most    int            // characters; 0 for any number
	names   map[string]string
}

var (
	wordCharacters = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	ruleCharacters = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
)

// checkNames returns an error for a name that AWS or the CDK does not accept, and for one of two resources.
func (s *Tidemark) checkNames() error {
	switch {
	case *awscdk.Token_IsUnresolved(s.prefix):
		return fmt.Errorf("the name of the stack %s is not known before it is deployed, and names of "+
			"resources begin with it: give Props.Name", *s.stack.Node().Path())
	case !wordCharacters.MatchString(s.prefix):
		return fmt.Errorf("the name %q begins the names of functions, in which AWS accepts letters, digits, "+
			"_ and - only: give Props.Name another text", s.prefix)
	}
	for _, group := range s.named() {
		if err := group.check(); err != nil {
			return err
		}
	}
	return nil
}

// named returns the names that AWS restricts, and names that the app may give twice.
func (s *Tidemark) named() []namedResources {
	functions := lists.Map(s.deployed(), func(f functionRow) string { return f.name })
	var schedules []string
	for _, each := range config.Schedules {
		schedules = append(schedules, strings.ToLower(each.Name))
	}
	forAlerts := []string{alertRule}
	if s.stage.Webhooks.Slack != "" {
		forAlerts = append(forAlerts, lists.Map(slackWebhooks, webhook.rule)...)
	}
	if s.stage.Webhooks.PagerDuty != "" {
		forAlerts = append(forAlerts, lists.Map(pagerDutyWebhooks, webhook.rule)...)
	}
	return []namedResources{
		{what: "functions", accepts: wordCharacters, most: longestName, names: s.physicalNames(functions)},
		{what: "schedules", accepts: ruleCharacters, most: longestName, names: s.physicalNames(schedules)},
		{
			what: "rules of alerts", accepts: ruleCharacters, most: longestName,
			names: s.physicalNames(forAlerts),
		},
		{what: "AWS IoT rules", accepts: wordCharacters, names: s.thingRules()},
		{what: "alarms", names: s.physicalNames(s.renamedAlarms())},
	}
}

func (w webhook) rule() string { return w.name }

func (s *Tidemark) physicalNames(members []string) map[string]string {
	names := map[string]string{}
	for _, of := range members {
		names[of] = s.physical(of)
	}
	return names
}

// thingRules returns the names of the rules of things, by kind and suffix.
func (s *Tidemark) thingRules() map[string]string {
	names := map[string]string{}
	for i := range s.kinds.Kinds {
		if k := &s.kinds.Kinds[i]; s.isThing(k.Subject) {
			rule := strings.ReplaceAll(s.physical(k.Name), "-", "_")
			for suffix, of := range map[string]string{"": k.Name, batchRule: k.Name + " with arrays",
				sourceRule: k.Name + " with messages of other programs"} {
				names[of] = rule + suffix
			}
		}
	}
	return names
}

// renamedAlarms returns the members of Names that are alarms: their names begin with a capital, like kinds'.
func (s *Tidemark) renamedAlarms() []string {
	return slices.DeleteFunc(slices.Collect(maps.Keys(s.names)), func(of string) bool {
		isKind := slices.ContainsFunc(s.kinds.Kinds, func(k catalog.Kind) bool { return k.Name == of })
		return isKind || of == "" || of[0] < 'A' || of[0] > 'Z'
	})
}

func (g namedResources) check() error {
	owners := map[string]string{} // by name
	for _, of := range slices.Sorted(maps.Keys(g.names)) {
		name := g.names[of]
		if *awscdk.Token_IsUnresolved(name) {
			continue
		}
		other, twice := owners[name]
		switch n := len(name); {
		case twice:
			return fmt.Errorf("the %s of %s and %s would both be named %s: rename one, or give it another "+
				"text in Props.Names", g.what, other, of, name)
		case g.most > 0 && n > g.most:
			return fmt.Errorf("the name %s has %d characters, AWS accepts %d: "+
				"give Props.Name, or Props.Names[%q], a shorter text", name, n, g.most, of)
		case g.accepts != nil && !g.accepts.MatchString(name):
			return fmt.Errorf("AWS does not accept the name %q of %s: use letters, digits, _ and - in "+
				"Props.Names[%[2]q]", name, of)
		}
		owners[name] = of
	}
	return nil
}

// checkIDs returns an error for kinds, and for paths of things, whose resources would have one logical id.
func checkIDs(stage config.Stage, kinds *catalog.Catalog) error {
	owners := map[string]string{}
	claim := func(id, of string) error {
		if other, twice := owners[id]; twice {
			return fmt.Errorf("stage %s: %s and %s would have resources of one id, %s: rename one of them",
				stage.Name, other, of, id)
		}
		owners[id] = of
		return nil
	}
	for i := range kinds.Kinds {
		if err := claim(capitalize(kinds.Kinds[i].Name), "kind "+kinds.Kinds[i].Name); err != nil {
			return err
		}
	}
	for _, subject := range kinds.Subjects() {
		if !slices.Contains(stage.Sources.Things, subject.Name) {
			continue
		}
		for _, policy := range []string{subject.Path, subject.Path + batchPolicy} {
			if err := claim(capitalize(policy)+"Policy", "subject "+subject.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// claimNames returns an error if another instance of the app has the names or the logical ids of this one.
// Where the accounts and regions of stacks are not known, names are compared within each stack.
func (s *Tidemark) claimNames() error {
	place := *s.stack.Environment()
	if strings.Contains(place, "unknown") {
		place = *s.stack.Node().Path()
	}
	app := s.Node().Root().(constructs.Construct)
	for _, c := range []struct{ claim, problem string }{
		{"Names " + s.prefix + " in " + place,
			fmt.Sprintf("the name %s: give one of them Props.Name", s.prefix)},
		{"Ids " + *s.logicalID("") + " in " + *s.stack.Node().Path(),
			fmt.Sprintf("ids of resources that begin with %s: give one of them an id with other letters and "+
				"digits", *s.logicalID(""))},
	} {
		if app.Node().TryFindChild(&c.claim) != nil {
			return fmt.Errorf("another instance of this app has %s", c.problem)
		}
		constructs.NewConstruct(app, &c.claim)
	}
	return nil
}
