package tidemarkcdk

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
)

// A dashboard is 24 units wide.
const (
	panelsPerRow = 4
	panelWidth   = 24 / panelsPerRow
	panelHeight  = 5
)

// addDashboard creates the dashboard: the alarms, then the services, then every metric in
// catalogue order.
func (s *Tidemark) addDashboard() {
	if s.lean() {
		return
	}
	board := withLogicalID(s, awscloudwatch.NewDashboard(s.Construct, new("Dashboard"),
		&awscloudwatch.DashboardProps{DashboardName: &s.prefix}), "Dashboard")
	board.AddWidgets(s.alarmPanel())
	panels := append(s.servicePanels(), lists.Map(telemetry.Catalogue(), s.panel)...)
	for row := range slices.Chunk(panels, panelsPerRow) {
		board.AddWidgets(row...)
	}
}

func (s *Tidemark) alarmPanel() awscloudwatch.IWidget {
	var all []interfacesawscloudwatch.IAlarmRef
	for _, c := range s.composites {
		all = append(all, c)
	}
	for _, a := range s.Alarms {
		all = append(all, a)
	}
	return awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Alarms: &all, Title: new("Alarms"), Width: new(24.0), Height: new(6.0),
	})
}

// panel is the graph of one metric, with a line for each function that publishes it.
func (s *Tidemark) panel(d telemetry.Definition) awscloudwatch.IWidget {
	lines := lists.Map(d.Metric.Publishers(), func(function string) awscloudwatch.IMetric {
		return s.catalogueMetric(d.Metric, function, chooseStatistic(d), time.Minute)
	})
	return graph(string(d.Metric)+": "+strings.TrimSuffix(d.Sentence, "."), lines)
}

// chooseStatistic is the statistic of a metric's graph: the sum of counts, the maximum of durations.
func chooseStatistic(d telemetry.Definition) telemetry.Statistic {
	if d.Unit == telemetry.Seconds {
		return telemetry.Maximum
	}
	return telemetry.Sum
}

// servicePanels are the graphs of AWS's own metrics: how the services that Tidemark uses work,
// beside what Tidemark counts.
func (s *Tidemark) servicePanels() []awscloudwatch.IWidget {
	each := func(name, statistic string) []awscloudwatch.IMetric {
		return lists.Map(s.deployed(), func(f functionRow) awscloudwatch.IMetric {
			return s.lambdaMetric(f.name, name, statistic)
		})
	}
	api := func(statistic string, names ...string) []awscloudwatch.IMetric {
		return lists.Map(names, func(name string) awscloudwatch.IMetric {
			return s.apiMetric(name, statistic, time.Minute)
		})
	}
	return []awscloudwatch.IWidget{
		graph("Write capacity: consumed by the table and its indexes",
			s.capacityMetrics("ConsumedWriteCapacityUnits", time.Minute)),
		graph("Read capacity: consumed by the table and its indexes",
			s.capacityMetrics("ConsumedReadCapacityUnits", time.Minute)),
		graph("Write throttles of the table and its indexes",
			s.capacityMetrics("WriteThrottleEvents", time.Minute)),
		graph("Read throttles of the table and its indexes", s.capacityMetrics("ReadThrottleEvents", time.Minute)),
		graph("Durations of the functions: 95th percentile, in ms", each("Duration", "p95")),
		graph("Concurrent executions of the functions", each("ConcurrentExecutions", "Maximum")),
		graph("Errors of the functions", each("Errors", "Sum")),
		s.sweepAges(),
		graph("Age of the table stream in aggregate, in ms",
			[]awscloudwatch.IMetric{s.lambdaMetric(aggregate, "IteratorAge", "Maximum")}),
		graph("API: latency, 95th percentile, in ms", api("p95", "Latency", "IntegrationLatency")),
		graph("API: requests and rejections", api("Sum", "Count", "4xx", "5xx")),
	}
}

func (s *Tidemark) lambdaMetric(function, name, statistic string) awscloudwatch.Metric {
	return newMetric("AWS/Lambda", name, statistic, time.Minute,
		map[string]*string{"FunctionName": s.Functions[function].FunctionName()})
}

// sweepAges is the graph of the oldest low watermarks, from aggregate's log.
func (s *Tidemark) sweepAges() awscloudwatch.IWidget {
	ages := make([]string, telemetry.LoggedAges)
	for n := range ages {
		ages[n] = fmt.Sprintf("max(%s.%d) as oldest_%d", telemetry.FieldAges, n, n+1)
	}
	return awscloudwatch.NewLogQueryWidget(&awscloudwatch.LogQueryWidgetProps{
		Title:         new("Ages of the oldest low watermarks of queue shards, in s"),
		View:          awscloudwatch.LogQueryVisualizationType_LINE,
		LogGroupNames: jsii.Strings(*s.logs[aggregate].LogGroupName()), Width: new(float64(panelWidth)),
		Height: new(float64(panelHeight)),
		QueryLines: jsii.Strings(fmt.Sprintf("filter msg = %q", telemetry.LowWatermarks),
			"stats "+strings.Join(ages, ", ")+" by bin(1m)"),
	})
}

func graph(title string, lines []awscloudwatch.IMetric) awscloudwatch.IWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: &title, Left: &lines, Width: new(float64(panelWidth)), Height: new(float64(panelHeight)),
	})
}
