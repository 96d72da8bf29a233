package main

import (
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"

	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// A dashboard is 24 units wide.
const (
	panelsPerRow = 4
	panelWidth   = 24 / panelsPerRow
	panelHeight  = 5
)

// addDashboard creates the dashboard: the alarms, then the services, then every metric in
// catalogue order.
func (s *stack) addDashboard() {
	if s.lean() {
		return
	}
	board := withLogicalID(awscloudwatch.NewDashboard(s.Stack, new("Dashboard"), &awscloudwatch.DashboardProps{DashboardName: s.StackName()}), "Dashboard")
	board.AddWidgets(s.alarmPanel())
	panels := s.servicePanels()
	for _, d := range telemetry.Catalogue() {
		panels = append(panels, s.panel(d))
	}
	for row := range slices.Chunk(panels, panelsPerRow) {
		board.AddWidgets(row...)
	}
}

func (s *stack) alarmPanel() awscloudwatch.IWidget {
	var all []interfacesawscloudwatch.IAlarmRef
	for _, c := range s.causes {
		all = append(all, c)
	}
	for _, a := range s.alarms {
		all = append(all, a)
	}
	return awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Alarms: &all, Title: new("Alarms"), Width: new(24.0), Height: new(6.0),
	})
}

// panel is the graph of one metric, with a line for each function that publishes it.
func (s *stack) panel(d telemetry.Definition) awscloudwatch.IWidget {
	var lines []awscloudwatch.IMetric
	for _, function := range d.Metric.Publishers() {
		lines = append(lines, s.catalogueMetric(d, function, statisticOf(d), time.Minute))
	}
	return graph(d.Name+": "+strings.TrimSuffix(d.Sentence, "."), lines)
}

// statisticOf is the statistic of a metric's graph: the sum of counts, the maximum of durations.
func statisticOf(d telemetry.Definition) telemetry.Statistic {
	if d.Unit == telemetry.Seconds {
		return telemetry.Maximum
	}
	return telemetry.Sum
}
