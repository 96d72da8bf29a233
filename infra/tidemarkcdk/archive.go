package tidemarkcdk

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsathena"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsglue"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// addArchive describes the files of exports to Athena: a table for the events and one for the rollups of each
// kind, and a query as an example. Athena computes the partitions from the range of days, so new files need
// no crawler.
func (s *Tidemark) addArchive() {
	if s.stage.Archive.To == "" {
		return
	}
	name := glueName(s.physical("archive"))
	database := awsglue.NewCfnDatabase(s.Construct, new("Archive"), &awsglue.CfnDatabaseProps{
		CatalogId: awscdk.Aws_ACCOUNT_ID(), DatabaseName: &name,
		DatabaseInput: &awsglue.CfnDatabase_DatabaseInputProperty{
			Description: new("Exports of Tidemark in " + s.stage.Archive.To),
		},
	})
	example := ""
	for i := range s.kinds.Kinds {
		for _, dataset := range []columns.Dataset{columns.Events, columns.Rollups} {
			k := &s.kinds.Kinds[i]
			if !dataset.Has(k) {
				continue
			}
			table := glueName(k.Name + "_" + dataset.Name)
			if dataset.Name == columns.Rollups.Name {
				example = cmp.Or(example, table)
			}
			awsglue.NewCfnTable(s.Construct, new("Archive-"+k.Name+"-"+dataset.Name), &awsglue.CfnTableProps{
				CatalogId: awscdk.Aws_ACCOUNT_ID(), DatabaseName: database.Ref(),
				TableInput: s.archiveTable(table, dataset, k),
			})
		}
	}
	if example == "" {
		return
	}
	awsathena.NewCfnNamedQuery(s.Construct, new("ArchiveExample"), &awsathena.CfnNamedQueryProps{
		Name:        s.name("archive-means"),
		Description: new("Mean and highest value of each subject, since last month"),
		Database:    database.Ref(), QueryString: new(columns.MeansQuery(example)),
	})
}

// checkArchive returns an error for columns that Athena, which ignores case, would take for one.
func checkArchive(stage config.Stage, kinds *catalog.Catalog) error {
	if stage.Archive.To == "" {
		return nil
	}
	for i := range kinds.Kinds {
		k := &kinds.Kinds[i]
		seen := map[string]string{columns.Events.Unit.String(): "the day of its file"}
		for _, c := range columns.Events.Columns(k) {
			if first, twice := seen[strings.ToLower(c.Name)]; twice {
				return fmt.Errorf("stages.%s.archive: Athena cannot tell the column %s of kind %s from %s: "+
					"rename the measure, or remove archive", stage.Name, c.Name, k.Name, first)
			}
			seen[strings.ToLower(c.Name)] = c.Name
		}
	}
	return nil
}

// glueTypes are the types of columns in AWS Glue.
var glueTypes = map[columns.Type]string{
	columns.Text: "string", columns.Integer: "bigint", columns.Number: "double", columns.Boolean: "boolean",
	columns.Timestamp: "timestamp", columns.Object: "string",
}

func (s *Tidemark) archiveTable(name string, d columns.Dataset,
	k *catalog.Kind) *awsglue.CfnTable_TableInputProperty {
	column := func(name, kind string) *awsglue.CfnTable_ColumnProperty {
		return &awsglue.CfnTable_ColumnProperty{Name: new(strings.ToLower(name)), Type: &kind}
	}
	var all []any
	for _, c := range d.Columns(k) {
		all = append(all, column(c.Name, glueTypes[c.Type]))
	}
	folder := s.stage.Archive.To + "/" + d.Folder(k) + "/"
	return &awsglue.CfnTable_TableInputProperty{
		Name: &name, TableType: new("EXTERNAL_TABLE"),
		Parameters:    s.projection(d, k, folder),
		PartitionKeys: []any{column(d.Unit.String(), "string")},
		StorageDescriptor: &awsglue.CfnTable_StorageDescriptorProperty{
			Columns: all, Location: &folder,
			InputFormat:  new("org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat"),
			OutputFormat: new("org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"),
			SerdeInfo: &awsglue.CfnTable_SerdeInfoProperty{
				SerializationLibrary: new("org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe")},
		},
	}
}

// labels are how Athena writes and counts the times of files, by the unit of a dataset.
var labels = map[tier.Unit]struct{ format, interval string }{
	tier.Day:   {"yyyy-MM-dd", "DAYS"},
	tier.Month: {"yyyy-MM", "MONTHS"},
}

// projection says where the files of each time are. Events may have times a day ahead.
func (s *Tidemark) projection(d columns.Dataset, k *catalog.Kind, folder string) map[string]string {
	unit, label := d.Unit.String(), labels[d.Unit]
	of := func(key string) string { return "projection." + unit + "." + key }
	all := map[string]string{
		"classification": "parquet", "projection.enabled": "true",
		"storage.location.template": fmt.Sprintf("%s%s=${%[2]s}/", folder, unit),
	}
	if k.OrderBy != "" {
		all[of("type")], all[of("values")] = "enum", columns.AllTimes
		return all
	}
	day, _ := time.Parse(time.DateOnly, cmp.Or(s.stage.Archive.From, "2015-01-01")) // the configuration is valid
	all[of("type")], all[of("format")] = "date", label.format
	all[of("range")] = d.Unit.BucketAt(model.NewTime(day)).Label() + ",NOW+1DAYS"
	all[of("interval")], all[of("interval.unit")] = "1", label.interval
	return all
}

// glueName is a name as AWS Glue and Athena write it.
func glueName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "_")) }
