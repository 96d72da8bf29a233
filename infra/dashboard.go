package main

import (
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"

	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// The grid of a dashboard is 24 wide.
const (
	across      = 4
	panelWidth  = 24 / across
	panelHeight = 5
)

// addDashboard draws the alarms and then every metric of the catalogue, in its order.
func (s *stack) addDashboard() {
	board := called(awscloudwatch.NewDashboard(s.Stack, new("Dashboard"), &awscloudwatch.DashboardProps{DashboardName: s.StackName()}), "Dashboard")
	board.AddWidgets(s.alarmPanel())
	var row []awscloudwatch.IWidget
	for _, d := range telemetry.Catalogue() {
		row = append(row, s.panel(d))
		if len(row) == across {
			board.AddWidgets(row...)
			row = nil
		}
	}
	if len(row) > 0 {
		board.AddWidgets(row...)
	}
}

func (s *stack) alarmPanel() awscloudwatch.IWidget {
	var all []interfacesawscloudwatch.IAlarmRef
	for _, a := range s.alarms {
		all = append(all, a)
	}
	return awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Alarms: &all, Title: new("Alarms"), Width: new(24.0), Height: new(6.0),
	})
}

// panel draws one metric, a line for each function that publishes it.
func (s *stack) panel(d telemetry.Definition) awscloudwatch.IWidget {
	var lines []awscloudwatch.IMetric
	for _, function := range d.Metric.Publishers() {
		lines = append(lines, s.published(d, function, statisticOf(d), time.Minute))
	}
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: new(d.Name + ": " + strings.TrimSuffix(d.Sentence, ".")),
		Left:  &lines, Width: new(float64(panelWidth)), Height: new(float64(panelHeight)),
	})
}

// statisticOf is how a metric is drawn: counts add up, of durations the worst counts.
func statisticOf(d telemetry.Definition) telemetry.Statistic {
	if d.Unit == telemetry.Seconds {
		return telemetry.Maximum
	}
	return telemetry.Sum
}
