package fleet

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// measure is what is compared.
const measure = "temperature"

// devices begins the names of members.
var devices = tablekeys.Member(model.Subject{Type: iot.Device.Name})

// rankings are the lists of members that rows of groups have; coarser rows have the first two.
var rankings = []rollup.Ranking{
	{By: rollup.ByMax}, {By: rollup.ByMin, Lowest: true},
	{By: rollup.BySum}, {By: rollup.BySum, Lowest: true},
	{By: rollup.ByMean}, {By: rollup.ByMean, Lowest: true},
	{By: rollup.ByCount}, {By: rollup.ByCount, Lowest: true},
}

// writeRows writes the rows of groups as rows.csv and their lists of members as members.csv.
func writeRows(dir string, rows []rollup.Row) error {
	summaries := [][]string{{"kind", "name", "tier", "bucket", "exact", "n", "total", "low", "high"}}
	members := [][]string{{"kind", "name", "tier", "bucket", "ranking", "place", "member"}}
	for i := range rows {
		row := &rows[i]
		m, found := row.Summary.Measure(measure)
		if !strings.HasPrefix(row.Key.Series.Kind, "READING_BY_") || row.Key.Member != "" || !found {
			continue
		}
		key := []string{row.Key.Series.Kind, row.Key.Series.Subject.ID, row.Key.Tier, row.Key.Start.String()}
		summaries = append(summaries, append(key[:4:4], fmt.Sprint(row.Exact), fmt.Sprint(m.Count), m.Sum.String(),
			m.Min.String(), m.Max.String()))
		for _, by := range rankings {
			for place, member := range row.Summary.Members(measure, by).Members {
				members = append(members, append(key[:4:4], by.String(), fmt.Sprint(place+1),
					strings.TrimPrefix(member.Name, devices)))
			}
		}
	}
	if err := writeCSV(filepath.Join(dir, "rows.csv"), summaries); err != nil {
		return err
	}
	return writeCSV(filepath.Join(dir, "members.csv"), members)
}

func writeCSV(path string, rows [][]string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := csv.NewWriter(file).WriteAll(rows); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
