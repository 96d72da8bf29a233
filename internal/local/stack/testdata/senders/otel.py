# Exports the hour with OpenTelemetry's exporter, from the minute in the first argument on, and
# prints each minute that is exported.
import os
import sys

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import export
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

exporter = OTLPMetricExporter(os.environ["TIDEMARK_URL"] + "/otlp/v1/metrics", headers={"Authorization": "Bearer any"})
for minute in range(int(sys.argv[1]), 60):
    at = (1776693600 + 60 * minute) * 10**9
    points = [export.NumberDataPoint({"cpu": f"cpu{cpu}"}, 0, at, minute) for cpu in range(10)]
    scope = export.ScopeMetrics(InstrumentationScope("test"), [export.Metric("usage", "", "1", export.Gauge(points))], "")
    batch = export.MetricsData([export.ResourceMetrics(Resource({"host.name": "otel-python"}), [scope], "")])
    while exporter.export(batch) is not export.MetricExportResult.SUCCESS:
        pass  # an exporter drops what a process that died has not acknowledged
    print(minute, flush=True)
