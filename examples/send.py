"""Sends points with influxdb-client (pip install influxdb-client), which sends them again until they are stored."""
import os
import time

from influxdb_client import InfluxDBClient, Point, WritePrecision

with InfluxDBClient(os.environ["TIDEMARK_URL"], token=os.environ.get("TIDEMARK_TOKEN", "any"), org="any") as client:
    with client.write_api() as write:  # in batches, written at the end at the latest
        now = int(time.time())
        for minute in range(5):
            write.write("any", record=Point("room").tag("host", "python").tag("sensor", "door")
                        .field("temperature", 22.4 + minute / 10).time(now - 60 * minute, WritePrecision.S))
