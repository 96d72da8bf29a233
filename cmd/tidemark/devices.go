package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// deviceFlags choose devices by fields of their profiles.
type deviceFlags struct {
	status, account string
	seen            bool
}

func (f *deviceFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.status, "status", "",
		"of devices, those whose profile has this `status`, such as active")
	cmd.Flags().StringVar(&f.account, "account", "", "of devices, those whose profile has this `account`")
	cmd.Flags().BoolVar(&f.seen, "seen", false,
		"with --status or --account, also show when each device reported last, for at least one read unit a device")
}

// chosen reports whether devices are chosen by their profiles.
func (f *deviceFlags) chosen() bool { return f.status+f.account != "" }

// list lists the devices. what is the argument of the command.
func (f *deviceFlags) list(cmd *cobra.Command, lines list, to *connection, what string) error {
	if what != iot.Device.Path {
		return usagef("--status and --account are of devices: tidemark ls %s", iot.Device.Path)
	}
	field, value := iot.FieldStatus, f.status
	if f.account != "" {
		field, value = iot.FieldAccount, f.account
	}
	return listDevices(cmd, lines, to, field, value, f.status, f.seen)
}

func listDevices(cmd *cobra.Command, lines list, to *connection, field, value, status string,
	seen bool) error {
	_, service, err := to.openSubject(cmd.Context(), iot.Device.Path+"/any")
	if err != nil {
		return err
	}
	found := views.Table{Header: []string{"device", "type", "status", "name", "location", "firmware"}}
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
		cells := []string{iot.Device.Path + "/" + p.Subject.ID, fieldText(&p, iot.FieldType),
			fieldText(&p, iot.FieldStatus),
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
	return lines.print(cmd, found, found,
		"no device has such a profile: \"tidemark ls devices\" lists the devices that sent events")
}

// fieldText returns a text field of a profile, "" if it has none.
func fieldText(p *model.Profile, name string) string {
	v, _ := p.Attrs.Get(name)
	return v.Text
}
