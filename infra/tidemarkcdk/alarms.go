package tidemarkcdk

import (
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// alarm goes off when its metric is above the threshold in a number of periods.
type alarm struct {
	name      alarmName
	metric    awscloudwatch.IMetric
	threshold float64
	pace
	meaning string // what has happened and what to do first
}

// pace is how soon an alarm goes off: when periods of the last within periods of its metric exceed
// the threshold.
type pace struct {
	periods, within int
	silence         bool // missing data counts as a period above the threshold
}

var (
	// atOnce is for what is never right.
	atOnce = pace{periods: 1, within: 1}
	// lasting is for what may be a burst.
	lasting = pace{periods: 3, within: 3}
	// repeated is for failures, with periods of a minute: it finds failures of dense traffic in five
	// minutes, and failures of sparse traffic, with idle minutes between them, within the hour.
	repeated = pace{periods: 5, within: 60}
	// silent is for what happens every minute.
	silent = pace{periods: 5, within: 5, silence: true}
)

// cloudWatch publishes to topics on behalf of alarms.
const cloudWatch = "cloudwatch.amazonaws.com"

// alarmSuffix ends the id of an alarm's resource, which begins with its name.
const alarmSuffix = "Alarm"

// addAlarms creates the alarms of the metric catalogue, then those on AWS's own metrics, and
// the composite alarms that notify.
func (s *Tidemark) addAlarms() {
	for _, a := range append(s.catalogueAlarms(), s.serviceAlarms()...) {
		if !s.watches(a.name) {
			continue
		}
		id := string(a.name) + alarmSuffix
		created := withLogicalID(s, awscloudwatch.NewAlarm(s.Construct, &id, &awscloudwatch.AlarmProps{
			AlarmName:          s.name(string(a.name)),
			AlarmDescription:   &a.meaning,
			Metric:             a.metric,
			Threshold:          &a.threshold,
			EvaluationPeriods:  new(float64(a.within)),
			DatapointsToAlarm:  new(float64(a.periods)),
			ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
			TreatMissingData:   a.missing(),
		}), id)
		s.Alarms = append(s.Alarms, created)
	}
	s.addCauses(s.alarmActions())
}

func (p pace) missing() awscloudwatch.TreatMissingData {
	if p.silence {
		return awscloudwatch.TreatMissingData_BREACHING
	}
	return awscloudwatch.TreatMissingData_NOT_BREACHING
}

// alarmActions returns what an alarm does when it goes off: it publishes to the stage's own
// topic, which sends mail, and to the topics that the configuration and the app name.
func (s *Tidemark) alarmActions() (actions []awscloudwatch.IAlarmAction) {
	if s.stage.AlarmMail != "" {
		s.AlarmTopic = withLogicalID(s, awssns.NewTopic(s.Construct, new("AlarmTopic"),
			&awssns.TopicProps{EnforceSSL: new(true), MasterKey: s.key}), "AlarmTopic")
		s.receivers = append(s.receivers, receiver{target: "Mail", topic: s.AlarmTopic})
	}
	if arn := s.configuredTopic(); arn != "" {
		configured := awssns.Topic_FromTopicArn(s.Construct, new("ConfiguredAlarmTopic"), &arn)
		s.receivers = append(s.receivers,
			receiver{target: "ConfiguredTopic", topic: configured, configured: true})
	}
	if s.given.AlarmTopic != nil {
		s.receivers = append(s.receivers, receiver{target: "GivenTopic", topic: s.given.AlarmTopic})
	}
	for _, r := range s.receivers {
		s.allowTopic(r, s.forAlarms(r.topic.TopicArn()))
		actions = append(actions, awscloudwatchactions.NewSnsAction(r.topic))
	}
	if s.AlarmTopic != nil {
		s.AlarmTopic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&s.stage.AlarmMail, nil))
	}
	return actions
}

// forAlarms allows the account's alarms to publish to a topic. Any policy of a topic replaces the default
// one, which allows it.
func (s *Tidemark) forAlarms(topic *string) awsiam.PolicyStatement {
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(new(cloudWatch), nil)},
		Actions:    jsii.Strings("sns:Publish"),
		Resources:  jsii.Strings(*topic),
		Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.stack.Account()}},
	})
}

// catalogueMetric is a metric of the catalogue, as one function publishes it.
func (s *Tidemark) catalogueMetric(m telemetry.Metric, function string, statistic telemetry.Statistic,
	period time.Duration) awscloudwatch.Metric {
	return newMetric(telemetry.DefaultNamespace, string(m), string(statistic), period,
		map[string]*string{telemetry.DimensionFunction: s.name(function)})
}

func newMetric(namespace, name, statistic string, period time.Duration,
	dimensions map[string]*string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: &namespace, MetricName: &name, Statistic: &statistic, Period: cdkDuration(period),
		DimensionsMap: &dimensions,
	})
}

// catalogueAlarms returns the alarms that the metric catalogue declares, one for each function
// that publishes the metric.
func (s *Tidemark) catalogueAlarms() (all []alarm) {
	for _, d := range telemetry.Catalogue() {
		if d.Alarm == nil {
			continue
		}
		for _, function := range d.Metric.Publishers() {
			all = append(all, alarm{
				name:      metricAlarm(function, d.Metric),
				metric:    s.catalogueMetric(d.Metric, function, d.Alarm.Statistic, d.Alarm.Period),
				threshold: d.Alarm.Threshold + s.alarmDelay(d),
				pace:      pace{periods: d.Alarm.Periods, within: d.Alarm.Within, silence: d.Alarm.Silence},
				meaning:   d.Alarm.Meaning,
			})
		}
	}
	return all
}

// alarmDelay is what a long window of the mapping adds to the age of the stream progress, in
// seconds; the threshold of its alarm covers a minute.
func (s *Tidemark) alarmDelay(d telemetry.Definition) float64 {
	if d.Metric != telemetry.ProgressAge {
		return 0
	}
	return max(0, s.settings.Mapping.Window-time.Minute).Seconds()
}

// onFailureMeaning describes the alarm on the on-failure queue, with the deadlines for the repair.
func (s *Tidemark) onFailureMeaning() string {
	raw := s.settings.Retention.Raw
	for i := range s.kinds.Kinds {
		raw = min(raw, s.kinds.Kinds[i].Retention.Raw)
	}
	later := "run tidemark rebuild at any time, since raw events never expire"
	if raw != tier.Forever {
		later = fmt.Sprintf("rebuild the range before its raw events expire, %d days after they were "+
			"written; after that its buckets can only be marked exact: false", raw/tier.Day24)
	}
	return "Lambda stopped retrying batches of the table stream: rollups miss their changes, " +
		"or data of expired tombstones was not removed. Within 24 hours run tidemark failed retry " +
		"--source batches, which reads the batches from the table stream again. After that, " + later + "."
}

// leanAlarms are the alarms of a stage with lean monitoring: nothing is lost or stops without
// one of them. A message that nothing reads is lost with the retention of its queue or data stream. What
// explains them is in AWS's own metrics, which cost nothing.
var leanAlarms = []alarmName{
	metricAlarm(aggregate, telemetry.ProgressAge), alarmOnFailureDepth, alarmUndeliveredDepth,
	functionAlarm(ingest, failing), alarmInboxAge, alarmInletAge,
}

func (s *Tidemark) lean() bool { return s.stage.Monitoring == config.LeanMonitoring }

// watches reports whether the stage has an alarm.
func (s *Tidemark) watches(alarm alarmName) bool {
	if alarm == alarmDeadAlerts && s.stage.Webhooks != (config.Webhooks{}) {
		return true // what a service refuses, such as all alerts after its secret changed, is nowhere else
	}
	return !s.lean() || slices.Contains(leanAlarms, alarm)
}

// eventCounts makes Lambda publish how many records a mapping filtered, failed and dropped.
func (s *Tidemark) eventCounts() any {
	if s.lean() {
		return nil
	}
	return eventCounts
}
