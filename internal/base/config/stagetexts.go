package config

var (
	stageName = newForm(`^[a-z][a-z0-9-]*$`, 32)
	account   = newForm(`^[0-9]{12}$`, 12)
	region    = newForm(`^[a-z]{2}(-[a-z]+)+-[0-9]$`, 32)
	topicARN  = newForm(`^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+$`, 2048)
	// archiveFolder has no character that a template of a location would read.
	archiveFolder = newForm(`^s3://[a-z0-9][a-z0-9.-]+[a-z0-9](/[A-Za-z0-9_.=-]+)*$`, 512)
	secretARN     = newForm(`^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+$`,
		2048)
	webhookURL = newForm(`^https://[a-z0-9.-]+(:[0-9]+)?/[A-Za-z0-9/._-]*$`, 512)
	streamARN  = newForm(
		`^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:[0-9]{12}:table/[A-Za-z0-9_.-]+/stream/[0-9T:.-]+$`, 2048)
	// topicLevel is one level of an MQTT topic without wildcards or policy variables.
	topicLevel     = newForm(`^[A-Za-z0-9_-]+$`, 64)
	origin         = newForm(`^(https://[A-Za-z0-9.-]+|http://(localhost|127\.0\.0\.1))(:[0-9]+)?$`, 253)
	hostName       = newForm(`^([a-z0-9-]+\.)+[a-z]{2,}$`, 253)
	webACL         = newForm(`^arn:aws[a-z-]*:wafv2:us-east-1:[0-9]{12}:global/webacl/.+$`, 2048)
	policyARN      = newForm(`^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/.+$`, 2048)
	certificateARN = newForm(`^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/.+$`, 2048)
	scope          = newForm(`^[A-Za-z0-9_.:/-]+$`, 64)
	claimName      = newForm(`^[A-Za-z0-9_:./-]+$`, 128)
)

// text is a field of a stage whose text has a form.
type text struct {
	field, text string
	required    bool // an empty text is a mistake too
	form        form
	want        string // what the text should be, and what to do
}

// texts returns the fields of a stage that are correct by their form alone.
func (s *Stage) texts() []text {
	return []text{
		{field: "", text: s.Name, required: true, form: stageName,
			want: "a valid stage name: want at most 32 lower-case letters, digits and -, " +
				"beginning with a letter"},
		{field: "account", text: s.Account, form: account,
			want: "the id of an AWS account: want 12 digits in quotes, or remove the key to " +
				"allow any account"},
		{field: "region", text: s.Region, form: region,
			want: "an AWS region: want one such as eu-central-1, or remove the key to allow any region"},
		{field: "alarmTopic", text: s.AlarmTopic, form: topicARN,
			want: "the ARN of an SNS topic: want one such as arn:aws:sns:eu-central-1:123456789012:" +
				"on-call, or remove the key"},
		{field: "archive.to", text: s.Archive.To, required: s.Archive != (Archive{}), form: archiveFolder,
			want: "a folder in S3: want one such as s3://bucket/tidemark, or remove archive"},
		{field: "table", text: s.Table, form: streamARN,
			want: "the ARN of the stream of a table: want the line that tidemark restore prints, or remove " +
				"the key to create a table"},
		{field: "sources.topic", text: s.Sources.Topic, form: topicLevel,
			want: "one level of an MQTT topic: want letters, digits, _ and -, for example tidemark-" +
				s.Name + ", or remove the key"},
		{field: "permissionsBoundary", text: s.Boundary, form: policyARN,
			want: "the ARN of a policy: want one such as arn:aws:iam::123456789012:policy/boundary, " +
				"or remove the key"},
	}
}
