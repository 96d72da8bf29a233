package config

import "strings"

// checkPlace reports resources of the configuration that a stage cannot use from its account or region. A
// stage without either may be deployed anywhere.
func (s *Stage) checkPlace(wrong func(field, format string, args ...any)) {
	for _, used := range []struct {
		field, what, arn      string
		ownRegion, ownAccount bool
	}{
		{field: "alarmTopic", what: "alarms publish to topics", arn: s.AlarmTopic, ownRegion: true},
		{field: "table", what: "a stack uses a table", arn: s.Table, ownRegion: true, ownAccount: true},
		{
			field: "domain", what: "the HTTP API uses a certificate", arn: s.Domain.Certificate,
			ownRegion: true, ownAccount: true,
		},
		{
			field: "cloudFront.domain", what: "a distribution uses a certificate",
			arn: s.CloudFront.Domain.Certificate, ownAccount: true,
		},
		{
			field: "cloudFront.webAcl", what: "a distribution uses a web ACL", arn: s.CloudFront.WebACL,
			ownAccount: true,
		},
		{field: "permissionsBoundary", what: "a role has a boundary", arn: s.Boundary, ownAccount: true},
	} {
		parts := strings.SplitN(used.arn, ":", 6)
		if len(parts) < 6 {
			continue // its form is checked elsewhere
		}
		check := func(bound bool, own, given, place string) {
			if bound && own != "" && given != own && given != "aws" {
				wrong(used.field, "%s of its own %s only, and the stage is in %s: give an ARN there, "+
					"not in %s", used.what, place, Clip(own), Clip(given))
			}
		}
		check(used.ownRegion, s.Region, parts[3], "region")
		check(used.ownAccount, s.Account, parts[4], "account")
	}
}
