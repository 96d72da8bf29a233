"""Prints what parliament finds in the policies of the roles of CloudFormation templates.

    policies.py TEMPLATE...

A line is: role, the finding, and its detail. References become ARNs of the form that the type of the
resource has.
"""

import json
import sys
import warnings

warnings.filterwarnings("ignore", message="pkg_resources")
from parliament import analyze_policy_string  # noqa: E402

PLACE = "eu-central-1:123456789012:"
ARNS = {
    "AWS::DynamoDB::Table": {"Arn": f"arn:aws:dynamodb:{PLACE}table/t", "StreamArn": f"arn:aws:dynamodb:{PLACE}table/t/stream/s"},
    "AWS::SQS::Queue": {"Arn": f"arn:aws:sqs:{PLACE}q"},
    "AWS::Logs::LogGroup": {"Arn": f"arn:aws:logs:{PLACE}log-group:/g:*"},
    "AWS::Events::EventBus": {"Arn": f"arn:aws:events:{PLACE}event-bus/b"},
    "AWS::SecretsManager::Secret": {"": f"arn:aws:secretsmanager:{PLACE}secret:s-AbCdEf"},
}
PSEUDO = {"AWS::Partition": "aws", "AWS::Region": "eu-central-1", "AWS::AccountId": "123456789012"}


def plain(value, resources):
    if isinstance(value, list):
        return [plain(v, resources) for v in value]
    if not isinstance(value, dict):
        return value
    if "Fn::Join" in value:
        separator, parts = value["Fn::Join"]
        return separator.join(plain(parts, resources))
    if "Fn::GetAtt" in value:
        name, attribute = value["Fn::GetAtt"]
        return ARNS[resources[name]["Type"]][attribute]
    if "Ref" in value:
        name = value["Ref"]
        return PSEUDO.get(name) or ARNS.get(resources[name]["Type"], {}).get("", name)
    return {k: plain(v, resources) for k, v in value.items()}


def main(paths):
    checked = 0
    for path in paths:
        with open(path) as file:
            resources = json.load(file)["Resources"]
        for name, resource in resources.items():
            for policy in resource["Properties"].get("Policies", []) if resource["Type"] == "AWS::IAM::Role" else []:
                checked += 1
                document = json.dumps(plain(policy["PolicyDocument"], resources))
                for finding in analyze_policy_string(document).findings:
                    print(f"{name}: {finding.issue}: {finding.detail}")
    print(f"{checked} policies")


main(sys.argv[1:])
