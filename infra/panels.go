package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
)

// servicePanels are the graphs of AWS's own metrics: how the services that Tidemark uses work,
// beside what Tidemark counts.
func (s *stack) servicePanels() []awscloudwatch.IWidget {
	each := func(name, statistic string) (lines []awscloudwatch.IMetric) {
		for _, f := range s.deployed() {
			lines = append(lines, s.lambdaMetric(f.name, name, statistic, time.Minute))
		}
		return lines
	}
	api := func(statistic string, names ...string) (lines []awscloudwatch.IMetric) {
		for _, name := range names {
			lines = append(lines, s.apiMetric(name, statistic, time.Minute))
		}
		return lines
	}
	return []awscloudwatch.IWidget{
		graph("Write capacity: consumed by the table and its indexes", s.capacityMetrics("ConsumedWriteCapacityUnits", time.Minute)),
		graph("Read capacity: consumed by the table and its indexes", s.capacityMetrics("ConsumedReadCapacityUnits", time.Minute)),
		graph("Write throttles of the table and its indexes", s.capacityMetrics("WriteThrottleEvents", time.Minute)),
		graph("Read throttles of the table and its indexes", s.capacityMetrics("ReadThrottleEvents", time.Minute)),
		graph("Durations of the functions: 95th percentile, in ms", each("Duration", "p95")),
		graph("Concurrent executions of the functions", each("ConcurrentExecutions", "Maximum")),
		graph("Errors of the functions", each("Errors", "Sum")),
		graph("Age of the table stream in aggregate, in ms", []awscloudwatch.IMetric{s.lambdaMetric(aggregate, "IteratorAge", "Maximum", time.Minute)}),
		graph("API: latency, 95th percentile, in ms", api("p95", "Latency", "IntegrationLatency")),
		graph("API: requests and rejections", api("Sum", "Count", "4xx", "5xx")),
	}
}

func graph(title string, lines []awscloudwatch.IMetric) awscloudwatch.IWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: &title, Left: &lines, Width: new(float64(panelWidth)), Height: new(float64(panelHeight)),
	})
}
