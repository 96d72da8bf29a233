package main

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/names"
)

const completionHelp = `Print the completions of a shell: bash, zsh, fish or powershell

Print a script with which a shell completes commands and flags. Load it in each new shell, such as with
this line in ~/.bashrc:

  source <(tidemark generate completion bash)

Exit status: 0 printed; 2 wrong usage.

Examples:
  tidemark generate completion bash
  tidemark generate completion zsh > _tidemark`

// completions print the script of a shell.
var completions = map[string]func(root *cobra.Command, out io.Writer) error{
	"bash":       func(root *cobra.Command, out io.Writer) error { return root.GenBashCompletionV2(out, true) },
	"zsh":        (*cobra.Command).GenZshCompletion,
	"fish":       func(root *cobra.Command, out io.Writer) error { return root.GenFishCompletion(out, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
}

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "completion SHELL",
		Long: completionHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			write := completions[args[0]]
			if write == nil {
				shells := slices.Sorted(maps.Keys(completions))
				return usagef("%s: want %s%s", args[0], strings.Join(shells, ", "), names.DidYouMean(args[0], shells))
			}
			return write(cmd.Root(), cmd.OutOrStdout())
		},
	}
}
