package tidemarkcdk

import (
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"github.com/tidemark-db/tidemark/internal/embedded"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// serviceAlarm is an alarm on metrics of the AWS services: one metric, or an expression over several.
type serviceAlarm struct {
	Name, Meaning, Expression, Label, Pace string
	Metrics                                map[string]serviceMetric
	Threshold                              float64
	OfTimeout                              float64  // the threshold as a part of the function's timeout
	Each                                   []string // functions that have the alarm, by {name} and {id}
}

// serviceMetric is a metric. A dimension that begins with @ is a resource; without the resource there is
// no alarm.
type serviceMetric struct {
	Namespace, Name, Statistic string
	Seconds                    int
	Dimensions                 map[string]string
}

//go:embed servicealarms.json
var serviceAlarmRows []byte

// paces are the names of paces in the rows.
var paces = map[string]pace{"atOnce": atOnce, "lasting": lasting, "repeated": repeated, "silent": silent}

// serviceAlarms returns the alarms on the metrics of the AWS services.
func (s *Tidemark) serviceAlarms() (all []alarm) {
	resources := s.watched()
	for _, row := range embedded.JSON[[]serviceAlarm](serviceAlarmRows) {
		if len(row.Each) == 0 {
			all = append(all, s.alarmsOf(row, resources, strings.NewReplacer("{onFailure}", s.onFailureMeaning()))...)
			continue
		}
		for _, f := range s.deployed() {
			if slices.Contains(row.Each, f.name) {
				timeout, one := f.settings(&s.settings.Functions).Timeout, row
				one.Threshold = row.OfTimeout * float64(timeout.Milliseconds())
				all = append(all, s.alarmsOf(one, resources, strings.NewReplacer("{name}", f.name, "{id}", f.id, "{timeout}", timeout.String()))...)
			}
		}
	}
	return all
}

// watched are the resources in dimensions, by name.
func (s *Tidemark) watched() map[string]*string {
	all := map[string]*string{
		"@table": s.Table.TableName(), "@mapping": s.mapping.Ref(), "@purgeMapping": s.purgeMapping.Ref(), "@api": s.API.Ref(),
		"@onFailure": s.OnFailure.QueueName(), "@undelivered": s.Undelivered.QueueName(), "@alertBus": s.AlertBus.Ref(),
	}
	for name, f := range s.Functions {
		all["@"+name], all["@name/"+name] = f.FunctionName(), s.name(name)
	}
	if s.Inbox != nil {
		all["@inbox"] = s.Inbox.QueueName()
	}
	if s.Inlet != nil {
		all["@inlet"] = s.Inlet.StreamName()
	}
	if s.deadAlerts != nil {
		all["@deadAlerts"], all["@alertRule"] = s.deadAlerts.QueueName(), s.name(alertRule)
	}
	return all
}

// alarmsOf returns the alarm of a row; none if the stage does not have what it watches.
func (s *Tidemark) alarmsOf(row serviceAlarm, resources map[string]*string, texts *strings.Replacer) []alarm {
	used, period := map[string]awscloudwatch.IMetric{}, time.Duration(0)
	var metric awscloudwatch.IMetric
	for id, m := range row.Metrics {
		dimensions := map[string]*string{}
		for name, value := range m.Dimensions {
			value = texts.Replace(value)
			dimensions[name] = &value
			if strings.HasPrefix(value, "@") {
				if dimensions[name] = resources[value]; dimensions[name] == nil {
					return nil
				}
			}
		}
		period = time.Duration(m.Seconds) * time.Second
		metric = newMetric(m.Namespace, m.Name, m.Statistic, period, dimensions)
		used[id] = metric
	}
	if row.Expression != "" {
		metric = awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
			Expression: &row.Expression, UsingMetrics: &used, Period: cdkDuration(period), Label: &row.Label})
	}
	return []alarm{{texts.Replace(row.Name), metric, row.Threshold, paces[row.Pace], texts.Replace(row.Meaning)}}
}

// capacityMetrics returns a metric of the table and of each index.
func (s *Tidemark) capacityMetrics(name string, period time.Duration) []awscloudwatch.IMetric {
	all := []awscloudwatch.IMetric{newMetric("AWS/DynamoDB", name, "Sum", period, map[string]*string{"TableName": s.Table.TableName()})}
	for _, index := range []string{keys.IndexGSI1, keys.IndexGSI2} {
		all = append(all, newMetric("AWS/DynamoDB", name, "Sum", period, map[string]*string{"TableName": s.Table.TableName(), "GlobalSecondaryIndexName": &index}))
	}
	return all
}
