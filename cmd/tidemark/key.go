package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/secret"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/web/script"
)

const keyCreateHelp = `Create a key and print its token, once

Create a key and print its token, once: the table has only its hash.

Examples:
  tidemark access key create telegraf
  tidemark access key create dashboard --read example.com,shop.example.com
  tidemark access key create plant7 --subjects plant7: --kinds METRIC`

const keyListHelp = `List the keys, without their tokens

List the keys and what each may do, without their tokens.`

const keyRotateHelp = `Give a key another token and print it

Give a key another token and print it. The former token stays valid for the time that --overlap
gives, so that senders can be changed one after the other.

Examples:
  tidemark access key rotate 4bq7x2m9ka --overlap 24h`

const keyRevokeHelp = `End a key; the deployed API may accept it for another minute

End a key. The deployed API may accept it for another minute.

Examples:
  tidemark access key revoke 4bq7x2m9ka`

const keyHelp = `Create, list, rotate and revoke keys of senders and dashboards

Manage keys: tokens of programs that know only a header. A key of a sender, such as Telegraf, ESPHome, the
clients of InfluxDB and OpenTelemetry, writes to the subjects and kinds that it names, and reads nothing. A key
with --read is for dashboards of websites: it reads the figures of its sites by POST /api/v2/query and
GET /api/v1/stats, and writes nothing:

  Authorization: Bearer TOKEN     also Token TOKEN, or Basic with the token as password

The table has a hash of the token only. "tidemark dev" accepts any other token too.

Exit status: 0 done; 1 there is no such key; 2 wrong usage; 3 failed.

Examples:
  tidemark access key create telegraf
  tidemark access key create plant7 --subjects plant7: --kinds METRIC
  tidemark access key create dashboard --read example.com
  tidemark access key list
  tidemark access key rotate 4bq7x2m9ka --overlap 24h
  tidemark access key revoke 4bq7x2m9ka`

func keyCommand(to *connection) *cobra.Command {
	var draft storage.APIKey
	type keys = *access.APIKeys
	create := keyAction(to, "create NAME", keyCreateHelp,
		func(ctx context.Context, keys keys, name string) (string, error) {
			kinds, err := to.Catalog()
			if err != nil {
				return "", err
			}
			if err := access.CheckKinds(kinds, draft.Kinds); err != nil {
				return "", usagef("--kinds: %w", err)
			}
			if err := cmp.Or(checkReads(&draft), checkSubjects(&draft)); err != nil {
				return "", err
			}
			draft.Name, draft.CreatedBy = name, userName()
			return keys.Create(ctx, draft)
		})
	const subjects = "only subjects whose ids begin with this `text`, as plant7: or plant*"
	create.Flags().StringVar(&draft.Subjects, "subjects", "", subjects)
	create.Flags().StringSliceVar(&draft.Kinds, "kinds", nil, "only events of these `kinds`")
	create.Flags().StringSliceVar(&draft.Sites, "read", nil, "read figures of these `sites`, and write nothing")
	list := keyAction(to, "list", keyListHelp, func(ctx context.Context, keys keys, _ string) (string, error) {
		return keys.Listed(ctx)
	})
	var overlap time.Duration
	rotate := keyAction(to, "rotate ID", keyRotateHelp,
		func(ctx context.Context, keys keys, id string) (string, error) {
			return keys.Rotate(ctx, id, overlap)
		})
	rotate.Flags().DurationVar(&overlap, "overlap", 24*time.Hour,
		"how long the former token stays valid; 0s ends it now")
	revoke := keyAction(to, "revoke ID", keyRevokeHelp,
		func(ctx context.Context, keys keys, id string) (string, error) {
			return id + " revoked", keys.Revoke(ctx, id)
		})
	return group("key", keyHelp, create, list, rotate, revoke)
}

// checkSubjects returns an error for a beginning of ids that may be a whole name: acme is the beginning of
// acme-evil too. A * at its end says that this is meant.
func checkSubjects(draft *storage.APIKey) error {
	prefix, meant := strings.CutSuffix(draft.Subjects, "*")
	last, _ := utf8.DecodeLastRuneInString(prefix)
	if !meant && prefix != "" && (unicode.IsLetter(last) || unicode.IsDigit(last)) {
		return usagef("--subjects %[1]s allows every id that begins so, as %[1]sx too: end it with the "+
			"character after the name, as %[1]s:, or write %[1]s* if that is meant", prefix)
	}
	draft.Subjects = prefix
	return nil
}

// checkReads returns an error for a read key of no valid site, or of a key that shall write too.
func checkReads(draft *storage.APIKey) error {
	for _, site := range draft.Sites {
		if err := checkSite(site); err != nil {
			return err
		}
	}
	if len(draft.Sites) > 0 && (draft.Subjects != "" || len(draft.Kinds) > 0) {
		return usagef("--read makes a key that writes nothing: make another key with --subjects and --kinds")
	}
	return nil
}

// keyAction returns a command that prints the result of an action on keys. Its argument, if
// it has one, is a name or an id.
func keyAction(
	to *connection, use, help string, act func(context.Context, *access.APIKeys, string) (string, error),
) *cobra.Command {
	return &cobra.Command{Use: use, Long: help, RunE: func(cmd *cobra.Command, args []string) error {
		table, err := to.OpenTable(cmd.Context())
		if err != nil {
			return err
		}
		keys := &access.APIKeys{Store: table, Now: wallClock, Rand: rand.Reader}
		result, err := act(cmd.Context(), keys, strings.Join(args, ""))
		if errors.Is(err, access.ErrNoKey) {
			return no(cmd.ErrOrStderr(), "%v", err)
		}
		if err == nil {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), result)
		}
		return err
	}}
}

const siteCreateHelp = `Print the HTML with which the pages of a site send their views

Print the HTML that loads the script of a web site. Put it into the head of every page; the
site needs no other set-up. Custom events are sent by <button data-event="Sign up">, or by
tidemark("Purchase", {revenue: {currency: "EUR", amount: 9.95}}).

With --key, print only the key in it, for pages that send to POST /v1/collect/KEY.

Without --secret the key is for a "tidemark dev". A key is a signed id, part of every page
and not secret; it allows sending page views and custom events, and nothing else.

Exit status: 0 printed; 2 wrong usage; 3 the secret could not be read.

Examples:
  tidemark site create example.com --key
  tidemark site create example.com --url https://api.example.com --secret arn:aws:secretsmanager:eu-west-1:123456789012:secret:SiteSecret-AbCdEf`

const siteHelp = `Print what the pages of a web site need, and check it

Print what the pages of a web site need, and check it: "tidemark site create" prints the HTML that loads
the script, and "tidemark site check" checks a page that has it.`

func siteCommand(to *connection) *cobra.Command {
	var keyOnly bool
	create := printKey("create SITE", siteCreateHelp, func(key string) (string, error) {
		if keyOnly {
			return key + "\n", nil
		}
		if err := to.NeedURL(); err != nil {
			return "", err
		}
		return script.Snippet(to.URL, key) + "\n", nil
	})
	create.Flags().BoolVar(&keyOnly, "key", false, "print only the key in it, for POST /v1/collect/KEY")
	return group("site", siteHelp, create, siteCheckCommand(to))
}

// printKey is a command that prints what textOf returns for the key of a site.
func printKey(use, help string, textOf func(key string) (string, error)) *cobra.Command {
	var arn string
	cmd := &cobra.Command{Use: use, Long: help, RunE: func(cmd *cobra.Command, args []string) error {
		if err := checkSite(args[0]); err != nil {
			return err
		}
		signing, err := secret.SiteKeys(cmd.Context(), cmp.Or(arn, os.Getenv(config.EnvSiteSecret)), secret.Read)
		if err != nil {
			return err
		}
		text, err := textOf(access.NewSiteKey(signing, args[0]))
		fmt.Fprint(cmd.OutOrStdout(), text)
		return err
	}}
	cmd.Flags().StringVar(&arn, "secret", "",
		"`ARN` of the deployment's secret for site keys (env "+config.EnvSiteSecret+")")
	return cmd
}

// checkSite returns an error for what is not an id of a site, such as its address.
func checkSite(id string) error {
	at, err := url.Parse(id)
	switch {
	case id == "":
		return usagef("the id of the site is empty: pass the id that its page views shall have")
	case err == nil && at.Host != "":
		return usagef("%s is an address: pass the id of the site, such as %s", id, at.Hostname())
	case strings.ContainsFunc(id, unicode.IsSpace):
		return usagef("%q has a space: pass the id that its page views shall have, such as example.com", id)
	case strings.Contains(id, ".") && id != strings.ToLower(id):
		return usagef("%s: host names are lower case: pass %s", id, strings.ToLower(id))
	}
	return nil
}
