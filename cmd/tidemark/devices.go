package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func devicesCommand(to *connection) *cobra.Command {
	var status, account string
	var seen bool
	var lines list
	cmd := &cobra.Command{
		Use: "devices",
		RunE: func(cmd *cobra.Command, _ []string) error {
			field, value := iot.FieldStatus, status
			if account != "" {
				field, value = iot.FieldAccount, account
			}
			if !cmd.Flags().Changed("status") && account != "" {
				status = ""
			}
			return listDevices(cmd, lines, to, field, value, status, seen)
		},
	}
	cmd.Flags().StringVar(&status, "status", iot.Active, "devices of this `status`")
	cmd.Flags().StringVar(&account, "account", "", "devices of this `account`")
	cmd.Flags().BoolVar(&seen, "seen", false, "also show when each device reported last, for at least one read unit a device")
	lines.register(cmd)
	return cmd
}

func listDevices(cmd *cobra.Command, lines list, to *connection, field, value, status string, seen bool) error {
	_, service, err := to.openSubject(cmd.Context(), iot.Device.Path+"/any")
	if err != nil {
		return err
	}
	found := httpapi.Table{Header: []string{"device", "type", "status", "name", "location", "firmware"}}
	if seen {
		found.Header = append(found.Header, "seen")
	}
	for p, err := range profiles(func(c lifecycle.Cursor) (lifecycle.ProfilePage, error) {
		return service.ListByField(cmd.Context(), iot.Device.Name, field, value, c, 0)
	}) {
		if err != nil {
			return err
		}
		if status != "" && fieldText(&p, iot.FieldStatus) != status {
			continue
		}
		cells := []string{iot.Device.Path + "/" + p.Subject.ID, fieldText(&p, iot.FieldType), fieldText(&p, iot.FieldStatus),
			fieldText(&p, iot.FieldName), fieldText(&p, iot.FieldLocation), fieldText(&p, iot.FieldFirmware)}
		if seen {
			at, ok, err := service.LastSeen(cmd.Context(), p.Subject)
			if err != nil {
				return err
			}
			last := "never"
			if ok {
				last = at.String()
			}
			cells = append(cells, last)
		}
		found.Rows = append(found.Rows, cells)
	}
	return lines.print(cmd, found, found, "no devices")
}

// fieldText returns a text field of a profile, "" if it has none.
func fieldText(p *model.Profile, name string) string {
	v, _ := p.Attrs.Get(name)
	return v.Text
}
