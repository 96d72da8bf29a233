package changes

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ProfileChange is one change of one profile. Lambda may deliver it several times.
type ProfileChange struct {
	Type    Type // Created, Updated, Deleted, Restored or Expired
	Subject model.Subject
	// Before is nil if the profile was created or restored; After is nil if it expired. Of a deletion, both are
	// the deleted profile. Profiles.Decode of package timeseries returns them as values of your type.
	Before, After *model.Profile
	At            time.Time // when the table changed, in whole seconds
	ID            string    // the same for each delivery of the change; "" if the record has none
}

// AlertChange is one change of an alert: the same as the notification on the event bus, which has it a little
// later. Lambda may deliver it several times.
type AlertChange struct {
	// Type is raised, raised and recovered, recovered, reopened, withdrawn, reinstated, acknowledged, resolved,
	// ended or corrected.
	Type    string
	Alert   string // its id
	Series  model.Series
	Rule    string // the id of its rule
	Measure string // "" for a silence
	// Value is the reading that raised it, Limit the rule's bounds in words, Message both.
	Value          model.Decimal
	Limit, Message string
	Severity       string    // critical, warning or info
	Status         string    // open, resolved or withdrawn
	Raised         time.Time // the time of the event that raised it
	At             time.Time // when the alert changed
	ID             string    // the same for each delivery of the change; "" if the record has none
}

// images are a record's item before and after the change; nil if there is none.
type images struct{ before, after item.Item }

// parseImages returns the images of a record.
func parseImages(record []byte) (all images, err error) {
	var r struct {
		Dynamodb struct{ OldImage, NewImage json.RawMessage }
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return all, fmt.Errorf("read the images: %w", err)
	}
	if all.before, err = parseImage(r.Dynamodb.OldImage); err == nil {
		all.after, err = parseImage(r.Dynamodb.NewImage)
	}
	return all, err
}

func parseImage(raw json.RawMessage) (item.Item, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	return item.ParseImage(raw)
}

// profileChange returns the change of a profile that a record reports; nil if it reports none. A deletion
// removes the profile and stores its tombstone, and a restoration the reverse: what is stored then has the
// record that counts.
func profileChange(k *tablestream.Kept, stored images) (*ProfileChange, error) {
	c := &ProfileChange{At: k.At.Time(), ID: k.EventID}
	if k.Key.SK != keys.ClassMetadata {
		deleted, err := item.Tombstone(stored.after)
		c.Type, c.Subject = Deleted, deleted.Subject
		c.Before, c.After = &deleted, &deleted
		return c, err
	}
	var err error
	if c.Before, err = profile(stored.before); err == nil {
		c.After, err = profile(stored.after)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case c.After != nil && c.Before != nil:
		c.Type = Updated
	case c.After != nil && c.After.Version > 1:
		c.Type = Restored
	case c.After != nil:
		c.Type = Created
	case k.ByTTL || c.Before != nil && expired(c.Before, k.At):
		c.Type = Expired
	default:
		return nil, nil
	}
	c.Subject, err = keys.ParseMetadata(k.Key)
	return c, err
}

func profile(it item.Item) (*model.Profile, error) {
	if it == nil {
		return nil, nil
	}
	p, err := item.Profile(it)
	return &p, err
}

// expired reports whether TTL may have removed a profile: a replica's stream does not name TTL.
func expired(p *model.Profile, at model.Time) bool {
	return p.ExpiresAt != 0 && p.ExpiresAt <= at.Add(tier.ExpiryMargin).Seconds()
}

// alertChange returns the change of an alert that a record reports.
func alertChange(k *tablestream.Kept, stored images) (*AlertChange, error) {
	n, err := item.Notification(stored.after)
	if err != nil {
		return nil, err
	}
	a := &n.Alert
	return &AlertChange{
		Type: string(n.Change), Alert: a.ID, Series: a.Series, Rule: a.Rule, Measure: a.Measure, Value: a.Value,
		Limit: a.Limit, Message: a.Message(), Severity: string(a.Severity), Status: string(a.Status()),
		Raised: a.Raised.At.Time(), At: n.At.Time(), ID: k.EventID,
	}, nil
}
