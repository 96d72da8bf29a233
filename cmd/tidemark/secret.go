package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/store/retry"
)

const secretHelp = `Rotate a secret of a stack

Rotate a secret of a stack in Secrets Manager: for site keys and links, for the origin header of
CloudFront, or for cursors. Functions read their secrets again every five minutes, so that no deployment
is needed.`

const secretRotateHelp = `Give a secret a new text, and end the former one later

Store a new random text before the present text of a secret, and wait five minutes, until every
function signs with the new text and accepts both. Then make new site keys or links, or change the header
that CloudFront sends, and end the former text:

  tidemark access secret rotate ARN          store the new text, and wait
  tidemark access secret rotate ARN --end    remove the former text; it is refused within five minutes

With --overlap it does both: it keeps the former text so long after the wait, and removes it. This is
enough for the secret of cursors. If a text leaked, --leaked replaces it at once: what it signed is
refused within five minutes, and new keys are needed at once.

It needs secretsmanager:GetSecretValue and secretsmanager:PutSecretValue. No text is printed. It can be
stopped and run again: it says where the rotation is, and changes nothing twice. Only one person may
rotate a secret at a time.

Exit status: 0 done; 1 the secret is at another step, or was changed meanwhile; 2 wrong usage; 3 failed.

Examples:
  tidemark access secret rotate arn:aws:secretsmanager:eu-west-1:123456789012:secret:SiteSecret-a1b2c3
  tidemark access secret rotate ARN --overlap 10m`

// rotateFlags choose the steps; at most one of them is set.
type rotateFlags struct {
	end, leaked bool
	overlap     time.Duration
}

func secretCommand(to *connection) *cobra.Command {
	var flags rotateFlags
	rotate := &cobra.Command{Use: "rotate ARN", Long: secretRotateHelp}
	rotate.RunE = func(cmd *cobra.Command, args []string) error {
		if flags.end && flags.leaked || (flags.end || flags.leaked) && flags.overlap != 0 {
			return usagef("--end, --leaked and --overlap: pass one of them")
		}
		r, err := openRotation(cmd, to, args[0])
		if err != nil {
			return err
		}
		err = flags.run(cmd, r)
		for _, step := range []error{secret.ErrBegun, secret.ErrNotBegun, secret.ErrChanged} {
			if errors.Is(err, step) {
				return no(cmd.ErrOrStderr(), "%s: %v", r.ARN, err)
			}
		}
		return err
	}
	rotate.Flags().BoolVar(&flags.end, "end", false, "remove the former text")
	rotate.Flags().BoolVar(&flags.leaked, "leaked", false, "replace the text at once")
	rotate.Flags().DurationVar(&flags.overlap, "overlap", 0, "remove the former text so long after the wait")
	return group("secret", secretHelp, rotate)
}

// openRotation returns the rotation of a secret in the Region of its ARN.
func openRotation(cmd *cobra.Command, to *connection, name string) (secret.Rotation, error) {
	parsed, err := arn.Parse(name)
	if err != nil || parsed.Service != "secretsmanager" {
		return secret.Rotation{}, usagef("%s: want the ARN of a secret, as in output SiteSecretArn", name)
	}
	cfg, err := to.Cloud(cmd.Context())
	cfg.Region = parsed.Region
	return secret.Rotation{
		Manager: secretsmanager.NewFromConfig(cfg), ARN: name,
		NewText: func() string { return rand.Text() + rand.Text() },
	}, err
}

func (f rotateFlags) run(cmd *cobra.Command, r secret.Rotation) error {
	ctx := cmd.Context()
	switch {
	case f.end:
		return ended(cmd, r.End(ctx, ""))
	case f.leaked:
		return ended(cmd, r.Replace(ctx))
	}
	fresh, err := r.Begin(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "stored: functions accept both texts by %s; waiting\n", seenBy())
	if err := retry.Sleep(ctx, secret.SeenWithin+f.overlap); err != nil {
		return err
	}
	if f.overlap > 0 {
		return ended(cmd, r.End(ctx, fresh))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "make new keys and links, or change the header of CloudFront; then run:\n"+
		"tidemark access secret rotate %s --end\n", r.ARN)
	return nil
}

// ended says when the former text is refused, unless there is an error.
func ended(cmd *cobra.Command, err error) error {
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "ended: the former text is refused by %s at the latest\n", seenBy())
	}
	return err
}

// seenBy returns the time by which every function has read a secret that was stored now.
func seenBy() string { return time.Now().Add(secret.SeenWithin).UTC().Format(time.RFC3339) }
