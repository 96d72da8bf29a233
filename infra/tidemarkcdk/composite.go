package tidemarkcdk

import (
	_ "embed"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"github.com/tidemark-db/tidemark/internal/embedded"
)

// cause is what one page is about. Its composite alarm notifies when the first of its alarms
// goes off, and again when all of them are over.
type cause struct {
	Name, Meaning string
	// After is a cause that explains this one: while its alarm is on, this one does not notify.
	After  string
	Alarms []string
}

//go:embed causes.json
var causeRows []byte

// causes returns the causes, with each alarm in one row, in the order of docs/ALARMS.md.
func causes() []cause { return embedded.JSON[[]cause](causeRows) }

// A cause that explains another may be noticed later than what it explains.
const (
	waitForCause  = 3 // minutes
	afterTheCause = 5 // minutes for the consequences to end
)

// addCauses creates the composite alarms. Without a receiver there are none: they would only
// cost.
func (s *Tidemark) addCauses(actions []awscloudwatch.IAlarmAction) {
	if len(actions) == 0 {
		return
	}
	byName := map[string]awscloudwatch.Alarm{}
	for _, a := range s.Alarms {
		byName[*a.Node().Id()] = a
	}
	created := map[string]awscloudwatch.CompositeAlarm{}
	for _, c := range causes() {
		var anyOf []awscloudwatch.IAlarmRule
		for _, name := range c.Alarms {
			if a := byName[name+"Alarm"]; a != nil {
				anyOf = append(anyOf, awscloudwatch.AlarmRule_FromAlarm(a, awscloudwatch.AlarmState_ALARM))
			}
		}
		if len(anyOf) == 0 {
			continue
		}
		props := &awscloudwatch.CompositeAlarmProps{
			CompositeAlarmName: s.name(c.Name), AlarmDescription: &c.Meaning, AlarmRule: awscloudwatch.AlarmRule_AnyOf(anyOf...),
		}
		if explained := created[c.After]; explained != nil {
			props.ActionsSuppressor = explained
			props.ActionsSuppressorWaitPeriod = awscdk.Duration_Minutes(new(float64(waitForCause)))
			props.ActionsSuppressorExtensionPeriod = awscdk.Duration_Minutes(new(float64(afterTheCause)))
		}
		composite := withLogicalID(s, awscloudwatch.NewCompositeAlarm(s.Construct, new(c.Name+"Cause"), props), c.Name+"Cause")
		composite.AddAlarmAction(actions...)
		composite.AddOkAction(actions...)
		created[c.Name] = composite
		s.composites = append(s.composites, composite)
	}
}
