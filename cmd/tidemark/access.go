package main

import "github.com/spf13/cobra"

const accessHelp = `Manage keys, links and secrets

Manage who may use the HTTP API without a sign-in: keys of senders and dashboards, links to one subject,
and the secrets that sign links, site keys and cursors.`

func accessCommand(to *connection) *cobra.Command {
	return group("access", accessHelp, keyCommand(to), linkCommand(to), secretCommand(to))
}
