package tidemarkcdk

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
)

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
	byName := map[alarmName]awscloudwatch.Alarm{}
	for _, a := range s.Alarms {
		byName[alarmName(strings.TrimSuffix(*a.Node().Id(), alarmSuffix))] = a
	}
	created := map[causeName]awscloudwatch.CompositeAlarm{}
	for _, c := range causes {
		var anyOf []awscloudwatch.IAlarmRule
		for _, name := range c.alarms {
			if a := byName[name]; a != nil {
				anyOf = append(anyOf, awscloudwatch.AlarmRule_FromAlarm(a, awscloudwatch.AlarmState_ALARM))
			}
		}
		if len(anyOf) == 0 {
			continue
		}
		props := &awscloudwatch.CompositeAlarmProps{
			CompositeAlarmName: s.name(string(c.name)), AlarmDescription: &c.meaning,
			AlarmRule: awscloudwatch.AlarmRule_AnyOf(anyOf...),
		}
		if explained := created[c.after]; explained != nil {
			props.ActionsSuppressor = explained
			props.ActionsSuppressorWaitPeriod = awscdk.Duration_Minutes(new(float64(waitForCause)))
			props.ActionsSuppressorExtensionPeriod = awscdk.Duration_Minutes(new(float64(afterTheCause)))
		}
		id := string(c.name) + "Cause"
		composite := withLogicalID(s, awscloudwatch.NewCompositeAlarm(s.Construct, &id, props), id)
		composite.AddAlarmAction(actions...)
		composite.AddOkAction(actions...)
		created[c.name] = composite
		s.composites = append(s.composites, composite)
	}
}
