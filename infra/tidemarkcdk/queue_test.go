package tidemarkcdk

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQueues_AreEncryptedAndRequireTLS(t *testing.T) {
	for _, name := range all {
		for id, q := range resourcesOfType(t, name, "AWS::SQS::Queue") {
			if encrypted := q.Properties["SqsManagedSseEnabled"] == true ||
				render(q.Properties["KmsMasterKeyId"]) == "Key.Arn"; !encrypted {
				t.Errorf("%s: %s is not encrypted", name, id)
			}
			if id != "InboxQueue" &&
				q.Properties["MessageRetentionPeriod"] != shipped(t).Mapping.FailureRetention.Seconds() {
				t.Errorf("%s: %s keeps messages for %v s", name, id, q.Properties["MessageRetentionPeriod"])
			}
			want := []any{map[string]any{
				"Effect": "Deny", "Action": "sqs:*", "Principal": map[string]any{"AWS": "*"},
				"Resource":  map[string]any{"Fn::GetAtt": []any{id, "Arn"}},
				"Condition": map[string]any{"Bool": map[string]any{"aws:SecureTransport": "false"}},
			}}
			policy := resources(t, name)[id+"Policy"].Properties
			got, _ := at(policy, "PolicyDocument", "Statement").([]any)
			// one rule may send to it, see TestAlerts_ThatNoTopicAcceptsGoToAQueue
			if id == "DeadAlertsQueue" && len(got) == 2 {
				got = got[:1]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: the policy of %s (-want +got):\n%s", name, id, diff)
			}
		}
	}
	if key := render(resources(t, "full")["OnFailureQueue"].Properties["KmsMasterKeyId"]); key != "Key.Arn" {
		t.Errorf("full: the on-failure queue is encrypted by %q, want the customer key", key)
	}
}
