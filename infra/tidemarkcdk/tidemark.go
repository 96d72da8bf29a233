// Package tidemarkcdk is the AWS CDK construct of Tidemark, for apps that keep time-series next to
// their other resources. Names of table attributes, metrics, routes and settings come from the
// packages that the functions use, so that the template and the functions always agree.
package tidemarkcdk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiot"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskinesis"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// Props are the settings of a construct. The zero value has the default configuration, whose
// functions are built from source.
type Props struct {
	// Config is the path of tidemark.yaml, which every function gets a copy of; "" is the default
	// configuration.
	Config string
	// Stage is the stage of the configuration; "" is prod.
	Stage string
	// Code is a folder with a folder for each function, such as a release has; "" builds the functions
	// with the go command, from the version of Tidemark that the app requires.
	Code string
	// Name begins the names of resources; "" is the name of the stack and, unless the id of the
	// construct is Default, that id. It is the default of sources.topic too.
	Name string
	// Names are the names of single resources, by what follows Name and a hyphen: ingest, alerts.
	Names map[string]string

	// What follows are resources of the app that are used in place of the construct's own; nil has no effect.

	// Key encrypts what a customer key of the stage would: the table, queues, secrets and logs.
	Key awskms.IKey
	// API gets the routes, in this account and Region. Its owner has its stage, domain name, throttles,
	// access log and CORS. A domain in the configuration is an error, and synthesis warns of public routes,
	// which need a throttle.
	API awsapigatewayv2.IHttpApi
	// Inbox is the queue that ingest reads, as with sources.sqs. Its visibility timeout must be six times the
	// timeout of ingest or more; a FIFO queue is an error. What ingest cannot store goes to the queue's own
	// dead-letter queue.
	Inbox awssqs.IQueue
	// AlarmTopic gets alarms and critical alerts, beside the topics of the configuration. If a key encrypts
	// it, the key's policy must allow CloudWatch and EventBridge.
	AlarmTopic awssns.ITopic
}

// Tidemark is a table with its functions, HTTP API and alarms. A field is nil if the stage does not
// have the resource. Its parts are created in order; a part may use earlier ones.
type Tidemark struct {
	constructs.Construct
	Table awsdynamodb.ITable
	// by name: ingest, aggregate, query, manage, purge, authorize, prometheus
	Functions   map[string]awslambda.Function
	API         awsapigatewayv2.IHttpApi
	AlertBus    awsevents.CfnEventBus // put a rule on it to receive alerts
	Inbox       awssqs.IQueue         // the queue that ingest reads
	Inlet       awskinesis.Stream     // the data stream that ingest reads
	OnFailure   awssqs.Queue          // ranges of the table stream that Lambda stopped retrying
	Undelivered awssqs.Queue          // observations that were not delivered to ingest
	AlarmTopic  awssns.Topic          // of a stage with alarmMail
	Alarms      []awscloudwatch.Alarm

	stack    awscdk.Stack
	settings *config.Config
	kinds    *catalog.Catalog
	stage    config.Stage
	code     string // folder of the built functions
	prefix   string // of physical names
	names    map[string]string
	unused   map[string]string // members of names that no resource has had yet

	given     Props
	receivers []receiver // of alarms and critical alerts
	warnings  int

	key          awskms.IKey // nil if AWS manages the keys
	cursorSecret awssecretsmanager.Secret
	siteSecret   awssecretsmanager.Secret   // nil without page views
	originSecret awssecretsmanager.Secret   // nil unless an origin is trusted
	distribution awscloudfront.Distribution // nil unless there is one in front of the collector
	logs         map[string]awslogs.LogGroup
	aliases      map[string]awslambda.CfnAlias // of a stage with canaries; otherwise empty
	mapping      awslambda.CfnEventSourceMapping
	purgeMapping awslambda.CfnEventSourceMapping
	things       awsiot.CfnTopicRuleDestination // nil unless rules send batches
	public       []awsapigatewayv2.CfnRoute     // see publicRoute
	deadAlerts   awssqs.Queue                   // alerts that no receiver accepted; nil without one
	composites   []awscloudwatch.CompositeAlarm // what notifies
}

// NewTidemark creates the resources of a stage in scope. In a stack of its own, the id Default gives
// resources short logical ids. The error says what is wrong with the configuration, the names or
// the code of the functions.
func NewTidemark(scope constructs.Construct, id string, props Props) (*Tidemark, error) {
	settings, err := loadConfig(props.Config)
	if err != nil {
		return nil, err
	}
	wanted := cmp.Or(props.Stage, "prod")
	i := slices.IndexFunc(settings.Stages, func(s config.Stage) bool { return s.Name == wanted })
	if i < 0 {
		return nil, fmt.Errorf("no stage %q in the configuration: want one of %v", wanted,
			lists.Map(settings.Stages, func(s config.Stage) string { return s.Name }))
	}
	return newTidemark(scope, id, props, settings, settings.Stages[i])
}

func loadConfig(path string) (*config.Config, error) {
	if path == "" {
		return configfile.Parse("default", nil, domains.Kinds()...)
	}
	return configfile.Load(path, domains.Kinds()...)
}

func newTidemark(scope constructs.Construct, id string, props Props, settings *config.Config,
	stage config.Stage) (*Tidemark, error) {
	kinds, err := settings.Catalog()
	if err == nil {
		err = cmp.Or(checkThings(stage, kinds), checkIDs(stage, kinds), checkArchive(stage, kinds),
			props.check(stage))
	}
	if err != nil {
		return nil, err
	}
	if id == "" || scope.Node().TryFindChild(&id) != nil {
		return nil, fmt.Errorf("the id %q is empty, or of another construct in the scope: give another", id)
	}
	s := &Tidemark{
		Construct: constructs.NewConstruct(scope, &id), stack: awscdk.Stack_Of(scope),
		settings: settings, kinds: kinds, stage: stage, names: props.Names, unused: maps.Clone(props.Names),
		given: props,
	}
	s.prefix = props.Name
	if s.prefix == "" {
		s.prefix = strings.Join(append([]string{*s.stack.StackName()}, s.path()...), "-")
	}
	if err := cmp.Or(s.checkNames(), s.claimNames(), s.claimTopic()); err != nil {
		return nil, err
	}
	remove, err := s.addCode(props)
	defer remove()
	if err != nil {
		return nil, err
	}
	tags := awscdk.Tags_Of(s.Construct)
	tags.Add(new("application"), new("tidemark"), nil)
	tags.Add(new("stage"), &stage.Name, nil)
	for _, part := range []func(){
		s.addKey, s.addTable, s.addQueues, s.addSecrets, s.addSources, s.addBus, s.addFunctions, s.addReleases,
		s.addMapping, s.addSchedules, s.addAPI, s.addCloudFront, s.addIoT, s.limitPublicRoutes,
		s.addSourceMappings, s.addAlarms, s.addAlertMail, s.addWebhooks, s.addBudget, s.addDashboard, s.addArchive,
		s.addOutputs, s.addBoundary,
	} {
		part()
	}
	if len(s.unused) > 0 {
		unused := slices.Sorted(maps.Keys(s.unused))
		return nil, fmt.Errorf("names: no resource of the stage has the members %v: remove them", unused)
	}
	return s, nil
}

// path are the ids of the construct and of those that it is in, without the stack and Default.
func (s *Tidemark) path() []string {
	all := strings.Split(strings.TrimPrefix(*s.Node().Path(), *s.stack.Node().Path()), "/")
	return slices.DeleteFunc(all, func(id string) bool { return id == "" || id == "Default" })
}

// name is the physical name of a resource.
func (s *Tidemark) name(of string) *string {
	delete(s.unused, of)
	return new(s.physical(of))
}

func (s *Tidemark) physical(of string) string {
	return cmp.Or(s.names[of], s.prefix+"-"+of)
}

// logicalID returns an id, with the ids of the construct's path before it.
func (s *Tidemark) logicalID(id string) *string {
	return new(notInIDs.ReplaceAllString(strings.Join(s.path(), ""), "") + id)
}

// withLogicalID sets the logical id of a construct's resource, so that the template is readable
// and renaming a construct never replaces its resource.
func withLogicalID[T constructs.IConstruct](s *Tidemark, c T, id string) T {
	c.Node().DefaultChild().(awscdk.CfnElement).OverrideLogicalId(s.logicalID(id))
	return c
}
