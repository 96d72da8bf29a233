# Writes the hour with influxdb-client, from the minute in the first argument on, and prints each
# minute that is written.
import os
import sys

from influxdb_client import InfluxDBClient, Point, WritePrecision
from influxdb_client.client.write.retry import WritesRetry
from influxdb_client.client.write_api import SYNCHRONOUS

retries = WritesRetry(total=100, retry_interval=0.1, exponential_base=1, allowed_methods=["POST"])
with InfluxDBClient(url=os.environ["TIDEMARK_URL"], token="any", org="any", retries=retries) as client:
    with client.write_api(write_options=SYNCHRONOUS) as api:
        for minute in range(int(sys.argv[1]), 60):
            api.write("any", record=[
                Point("cpu").tag("host", "influx").tag("cpu", f"cpu{cpu}").field("usage", minute)
                .time(1776693600 + 60 * minute, WritePrecision.S)
                for cpu in range(10)
            ])
            print(minute, flush=True)
