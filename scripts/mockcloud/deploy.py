"""Creates a synthesized stack in moto, a mock of AWS, reads it back and compares.

    deploy.py ENDPOINT STAGE TEMPLATE EXPECTED

EXPECTED is what the configuration promises (mockcloud prints it). What is read back
through the APIs of each service must be equal. What the mock's CloudFormation passes
over is listed: types of resource that it does not know, and properties that it drops.
Those that are checked are set through the service's own API instead, from the
template's own words. A table says what proves each type of resource, and a number of
resources below PROVED is a difference.
"""

import io
import json
import sys
import zipfile

import boto3
from moto.cloudformation import parsing

ACCOUNT, REGION = "123456789012", "eu-central-1"
ASSETS = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
# Known to the mock, but a Ref to one remains an object instead of a name.
STUMBLES = {"AWS::Events::EventBus"}


def client(service, endpoint):
    return boto3.client(service, endpoint_url=endpoint, region_name=REGION,
                        aws_access_key_id="mock", aws_secret_access_key="mock")


def without(value, gone):
    """The value, with a placeholder for each reference to a removed resource."""
    if isinstance(value, list):
        return [without(v, gone) for v in value]
    if not isinstance(value, dict):
        return value
    name = value.get("Ref") or (value.get("Fn::GetAtt") or [None])[0]
    if len(value) == 1 and name in gone:
        return "mock-" + name
    return {k: without(v, gone) for k, v in value.items()}


def reduced(template):
    """The template as far as the mock knows it, and the resources that it does not."""
    known = parsing.get_model_map().keys() - STUMBLES
    gone = {i: r for i, r in template["Resources"].items() if r["Type"] not in known}
    rest = dict(template, Resources={i: r for i, r in template["Resources"].items() if i not in gone})
    return without(rest, gone), gone


def bootstrap(endpoint, template):
    """What "cdk bootstrap" and the upload of assets would have left in the account."""
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("bootstrap", "a placeholder: the mock runs no function")
    s3 = client("s3", endpoint)
    s3.create_bucket(Bucket=ASSETS, CreateBucketConfiguration={"LocationConstraint": REGION})
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::Function":
            s3.put_object(Bucket=ASSETS, Key=resource["Properties"]["Code"]["S3Key"], Body=code.getvalue())
    client("ssm", endpoint).put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="21", Type="String")


def make_up(endpoint, template, physical):
    """Sets what the mock's CloudFormation passes over, and answers what that is."""
    db, iot = client("dynamodb", endpoint), client("iot", endpoint)
    made = set()
    for name, resource in template["Resources"].items():
        kind, p = resource["Type"], resource.get("Properties", {})
        if kind == "AWS::DynamoDB::Table":
            db.update_time_to_live(TableName=physical[name], TimeToLiveSpecification=p["TimeToLiveSpecification"])
            db.update_continuous_backups(TableName=physical[name], PointInTimeRecoverySpecification=p["PointInTimeRecoverySpecification"])
            made |= {"a table's TimeToLiveSpecification", "a table's PointInTimeRecoverySpecification"}
        elif kind == "AWS::IoT::TopicRule":
            payload = p["TopicRulePayload"]
            iot.create_topic_rule(ruleName=p["RuleName"], topicRulePayload={
                "sql": payload["Sql"], "awsIotSqlVersion": payload["AwsIotSqlVersion"],
                "ruleDisabled": payload["RuleDisabled"], "actions": []})
            made.add("IoT rules, but for their actions")
    return sorted(made)


# At most so many resources of a stage exist neither by the mock's CloudFormation nor by the API of their service.
UNPROVED = {"dev": 10, "prod": 17}


def by_own_apis(endpoint, gone):
    """Creates what the mock's CloudFormation does not know with the services' own APIs, and answers
    how many of each type are read back as the template has them."""
    cloudwatch, secrets = client("cloudwatch", endpoint), client("secretsmanager", endpoint)
    events, gateway = client("events", endpoint), client("apigatewayv2", endpoint)
    of = lambda kind: {i: r.get("Properties", {}) for i, r in gone.items() if r["Type"] == kind}
    text = lambda value: value if isinstance(value, str) else json.dumps(value)
    proved = {}

    alarms = {p["AlarmName"]: p for p in of("AWS::CloudWatch::Alarm").values() if "MetricName" in p}
    same = ("MetricName", "Namespace", "Period", "EvaluationPeriods", "DatapointsToAlarm", "Threshold", "ComparisonOperator", "TreatMissingData")
    for name, p in alarms.items():
        statistic = {k: p[k] for k in ("Statistic", "ExtendedStatistic") if k in p}
        dimensions = [{"Name": d["Name"], "Value": text(d["Value"])} for d in p.get("Dimensions", [])]
        cloudwatch.put_metric_alarm(AlarmName=name, Dimensions=dimensions, **statistic, **{k: p[k] for k in same})
    read = {a["AlarmName"]: a for page in cloudwatch.get_paginator("describe_alarms").paginate() for a in page["MetricAlarms"]}
    proved["AWS::CloudWatch::Alarm"] = sum(all(read[n].get(k) == p[k] for k in same) for n, p in alarms.items())

    for name, p in of("AWS::SecretsManager::Secret").items():
        how = p["GenerateSecretString"]
        value = secrets.get_random_password(**how)["RandomPassword"]
        secrets.create_secret(Name=name, SecretString=value)
        found = len(secrets.get_secret_value(SecretId=name)["SecretString"]) == how["PasswordLength"]
        proved["AWS::SecretsManager::Secret"] = proved.get("AWS::SecretsManager::Secret", 0) + found

    buses = {p["Name"] for p in of("AWS::Events::EventBus").values()}
    for name in buses:
        events.create_event_bus(Name=name)
    proved["AWS::Events::EventBus"] = len(buses & {b["Name"] for b in events.list_event_buses()["EventBuses"]})

    for p in of("AWS::ApiGatewayV2::Api").values():
        api = gateway.create_api(Name=p["Name"], ProtocolType=p["ProtocolType"])["ApiId"]
        routes = {r["RouteKey"]: r["AuthorizationType"] for r in of("AWS::ApiGatewayV2::Route").values()}
        for key, mode in routes.items():
            gateway.create_route(ApiId=api, RouteKey=key, AuthorizationType=mode)
        read = {r["RouteKey"]: r["AuthorizationType"] for r in gateway.get_routes(ApiId=api)["Items"]}
        proved["AWS::ApiGatewayV2::Api"] = 1
        proved["AWS::ApiGatewayV2::Route"] = sum(read.get(key) == mode for key, mode in routes.items())
    return proved


def table_of_proofs(template, gone, proved):
    """Lines that say for each type of resource what proves it, and how many are proved."""
    total, lines = 0, []
    types = sorted({r["Type"] for r in template["Resources"].values()})
    for kind in types:
        here = sum(r["Type"] == kind for r in template["Resources"].values())
        unknown = sum(r["Type"] == kind for r in gone.values())
        own = here if kind == "AWS::IoT::TopicRule" and unknown else proved.get(kind, 0)
        total += here - unknown + own
        how = "the mock's CloudFormation" if not unknown else "its service's own API" if own else "the tests of infra, cfn-lint and cdk-nag only"
        lines.append(f"    {here - unknown + own:4} of {here:4}  {kind:38} {how}")
    return total, lines


def table(endpoint, name):
    db = client("dynamodb", endpoint)
    t = db.describe_table(TableName=name)["Table"]
    ttl = db.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    backups = db.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    key = lambda schema: [k["AttributeName"] for k in sorted(schema, key=lambda k: k["KeyType"])]
    return {
        "keys": key(t["KeySchema"]),
        "indexes": {i["IndexName"]: key(i["KeySchema"]) for i in t.get("GlobalSecondaryIndexes", [])},
        "ttl": ttl.get("AttributeName") if ttl["TimeToLiveStatus"] == "ENABLED" else None,
        "stream": t.get("StreamSpecification", {}).get("StreamViewType"),
        "billing": t.get("BillingModeSummary", {}).get("BillingMode"),
        "recovery": backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED",
        "protected": t.get("DeletionProtectionEnabled"),
    }


def functions(endpoint, names):
    found = {}
    for name in names:
        f = client("lambda", endpoint).get_function_configuration(FunctionName=name)
        found[name] = {"memory": f["MemorySize"], "timeout": f["Timeout"], "runtime": f["Runtime"]}
    return found


def mappings(endpoint, stream, physical):
    """Every reader of a table stream, by the name that the template has for it."""
    logical = {uuid: name for name, uuid in physical.items()}
    all = client("lambda", endpoint).list_event_source_mappings(EventSourceArn=stream)["EventSourceMappings"]
    return {logical[m["UUID"]]: mapping(m) for m in all}


def mapping(m):
    filters = m.get("FilterCriteria", {}).get("Filters", [{}])
    return {
        "function": m["FunctionArn"].split(":")[6], "position": m.get("StartingPosition"), "batch": m.get("BatchSize"),
        "window": m.get("MaximumBatchingWindowInSeconds"), "parallelization": m.get("ParallelizationFactor"),
        "retries": m.get("MaximumRetryAttempts"), "age": m.get("MaximumRecordAgeInSeconds"),
        "bisect": m.get("BisectBatchOnFunctionError"), "filter": filters[0].get("Pattern"),
        "responses": m.get("FunctionResponseTypes"),
    }


def read_back(endpoint, physical, expected):
    """What the services say, in the form of what is expected."""
    sqs, iot = client("sqs", endpoint), client("iot", endpoint)
    retention = lambda url: int(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]["MessageRetentionPeriod"])
    stream = client("dynamodb", endpoint).describe_table(TableName=physical["Table"])["Table"]["LatestStreamArn"]
    topic = lambda rule: iot.get_topic_rule(ruleName=rule)["rule"]["sql"].split(" FROM ")[1].strip("'")
    return {
        "table": table(endpoint, physical["Table"]),
        "functions": functions(endpoint, expected["functions"]),
        "mappings": mappings(endpoint, stream, physical),
        "queues": {q: retention(physical[q]) for q in expected["queues"]},
        "rules": {r["ruleName"]: topic(r["ruleName"]) for r in iot.list_topic_rules()["rules"]},
    }


def compare(path, want, got):
    """How many values are equal, and a line for each that is not."""
    if not (isinstance(want, dict) and isinstance(got, dict)):
        return (1, []) if want == got else (0, [f"{path}: want {want}, read {got}"])
    equal, different = 0, []
    for name in sorted(want.keys() | got.keys()):
        more, lines = compare(f"{path}.{name}".lstrip("."), want.get(name), got.get(name))
        equal, different = equal + more, different + lines
    return equal, different


def main(endpoint, stage, template_path, expected_path):
    with open(template_path) as template_file, open(expected_path) as expected_file:
        template, expected = json.load(template_file), json.load(expected_file)
    stack = "tidemark-" + stage
    rest, gone = reduced(template)
    bootstrap(endpoint, template)
    cloudformation = client("cloudformation", endpoint)
    cloudformation.create_stack(StackName=stack, TemplateBody=json.dumps(rest), Capabilities=["CAPABILITY_IAM"])
    status = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]
    described = cloudformation.describe_stack_resources(StackName=stack)["StackResources"]
    physical = {r["LogicalResourceId"]: r.get("PhysicalResourceId") for r in described}
    made = make_up(endpoint, template, physical)
    equal, different = compare("", expected, read_back(endpoint, physical, expected))
    total, proofs = table_of_proofs(template, gone, by_own_apis(endpoint, gone))
    if len(template["Resources"]) - total > UNPROVED.get(stage, len(template["Resources"])):
        different.append(f"{len(template['Resources']) - total} resources are missing on the mock, want at most {UNPROVED[stage]}")
    print(f"{stack} on the mock: {status}, {len(rest['Resources'])} of {len(template['Resources'])} resources")
    print(f"  {equal} values of the services' own APIs equal the configuration")
    for line in different:
        print("  DIFFERENT", line)
    print("  created with the services' own APIs, because the mock's CloudFormation ignores them:")
    print("   ", "; ".join(made))
    print(f"  {total} of {len(template['Resources'])} resources exist on the mock; a function's Architectures are not checked:")
    print("\n".join(proofs))
    print("  the mock allows every request and runs no function: other tests check privileges and events")
    return 1 if different or status != "CREATE_COMPLETE" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
