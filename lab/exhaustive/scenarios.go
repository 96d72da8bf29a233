package exhaustive

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

const day = tier.Day24

// The policies of the scenarios.
func immediate(hours time.Duration) tier.Policy {
	return tier.Policy{Raw: 3 * day,
		Tiers: []tier.Tier{{Unit: tier.Hour, Retention: hours}, {Unit: tier.Day, Retention: tier.Forever}}}
}

func deferred(first int) tier.Policy {
	p := immediate(10 * day)
	p.Raw = 4 * day
	for level := first; level < len(p.Tiers); level++ {
		p.Tiers[level].Deferred, p.Tiers[level].Grace = true, 15*time.Minute
	}
	return p
}

// coalesced is deferred(0) with late changes that wait for the end of a tick.
func coalesced() tier.Policy {
	p := deferred(0)
	p.LateEvery = 5 * time.Minute
	return p
}

// raised is immediate(10 days) after the retention of hours was raised.
func raised() tier.Policy {
	p := immediate(20 * day)
	p.Tiers[0].Least = 10 * day
	return p
}

var (
	openHour = []string{"10T22:30"}
	lateHour = []string{"10T23:05"}
	closing  = []string{"10T23:05", "10T23:20", "11T00:20"}
	// A history is short around one closing; bothClosings pass while a process is suspended.
	firstClosing, secondClosing = closing[:2], closing[1:]
	bothClosings                = []string{closing[0], closing[2]}
	expiring                    = []string{"10T22:30", "13T21:20", "13T21:40", "13T22:40", "20T23:30"}

	twoHours    = []string{"10T22:55", "10T23:04"}
	sealedHours = []string{"10T22:05", "10T23:04"}
	// The hour is closed; its late changes wait until 00:25 or 00:30, and are swept two minutes later.
	lateTicks   = []string{"11T00:22", "11T00:28", "11T00:33"}
	threeEvents = []string{"10T22:04", "10T22:05", "10T23:04"}

	// apart are clocks up to two minutes apart: of the functions, ingest, the sweep and readers.
	apart = []time.Duration{-time.Minute, time.Minute, 0, time.Minute}
)

var scenarios = []scenario{
	{
		name: "a0: immediate, one event, 2 functions, deletion and crash", sizes: "sml",
		events: []string{"10T22:04"}, ticks: openHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
		budget: budget{crashes: 1, deletes: 1, repeats: 1},
	},
	{
		name: "f3: deferred, one event, a sweep and a reader of the day", sizes: "sml",
		events: []string{"10T23:04"}, ticks: []string{"10T23:05", "11T00:20"},
		policies: []tier.Policy{deferred(0)}, functions: 1, read: tier.Day,
		budget: budget{sweeps: 1, readers: 1},
	},
	{
		name: "a: immediate, one hour, deletion and crash", sizes: "ml",
		events: []string{"10T22:04", "10T22:05"}, ticks: openHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
		budget: budget{crashes: 1, deletes: 1},
	},
	{
		name: "b: immediate, one hour, deletion and repeat", sizes: "ml",
		events: []string{"10T22:04", "10T22:05"}, ticks: openHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
		budget: budget{repeats: 1, deletes: 1},
	},
	{
		name: "c: immediate, one hour, latest, no response", sizes: "sml",
		events: []string{"10T22:04", "10T22:05"}, ticks: openHour, latest: true,
		policies: []tier.Policy{immediate(10 * day)}, functions: 1,
		budget: budget{unknowns: 2, deletes: 1},
	},
	{
		name: "d0: immediate, seal and expiry", sizes: "sml",
		events: []string{"10T22:04", "10T22:05"}, ticks: expiring[:4], sealed: 2, ttl: true,
		policies: []tier.Policy{immediate(10 * day)}, functions: 1,
	},
	{
		name: "d: immediate, seal and expiry, deletion", sizes: "ml",
		events: []string{"10T22:04", "10T22:05"}, ticks: expiring, sealed: 2, ttl: true,
		policies: []tier.Policy{immediate(10 * day)}, functions: 1,
		budget: budget{deletes: 1},
	},
	{
		name: "c1: immediate, one hour, one event, no response", sizes: "sml",
		events: []string{"10T22:04"}, ticks: openHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 1,
		budget: budget{unknowns: 1, deletes: 1},
	},
	{
		name: "f1: deferred, one hour, deletion, a sweep", sizes: "sml",
		events: []string{"10T23:04"}, ticks: []string{"10T23:05", "11T00:20"},
		policies: []tier.Policy{deferred(0)}, functions: 1,
		budget: budget{sweeps: 1, deletes: 1},
	},
	{
		name: "l0: late changes wait, one hour, a sweep, a reader", sizes: "sml",
		events: []string{"10T23:04"}, ticks: lateTicks[:2],
		policies: []tier.Policy{coalesced()}, functions: 1, read: tier.Hour,
		budget: budget{sweeps: 1, readers: 1},
	},
	{
		name: "l: late changes wait, one hour, 2 sweeps, a reader", sizes: "l",
		events: []string{"10T23:04"}, ticks: lateTicks,
		policies: []tier.Policy{coalesced()}, functions: 1, read: tier.Hour,
		budget: budget{sweeps: 2, readers: 1},
	},
	{
		name: "l1: late changes wait, one hour, deletion, 2 sweeps", sizes: "l",
		events: []string{"10T23:04"}, ticks: lateTicks,
		policies: []tier.Policy{coalesced()}, functions: 1,
		budget: budget{sweeps: 2, deletes: 1},
	},
	{
		name: "l2: late changes wait, two events, crash, a sweep", sizes: "ml",
		events: twoHours, ticks: lateTicks[:2],
		policies: []tier.Policy{coalesced()}, functions: 1,
		budget: budget{sweeps: 1, crashes: 1},
	},
	{
		name: "l3: late changes wait, one hour, 2 functions, no response, a sweep", sizes: "l",
		events: []string{"10T23:04"}, ticks: lateTicks,
		policies: []tier.Policy{coalesced()}, functions: 2,
		budget: budget{sweeps: 1, unknowns: 1, deletes: 1},
	},
	{
		name: "e0: deferred, one hour, deletion, a sweep", sizes: "ml",
		events: []string{"10T23:04"}, ticks: []string{"10T23:05", "11T00:16", "11T00:20"},
		policies: []tier.Policy{deferred(0)}, functions: 2,
		budget: budget{deletes: 1, sweeps: 1},
	},
	{
		name: "f2: deferred, one hour, deletion, a sweep, a reader of the day", sizes: "ml",
		events: []string{"10T23:04"}, ticks: []string{"10T23:05", "11T00:20"},
		policies: []tier.Policy{deferred(0)}, functions: 1, read: tier.Day,
		budget: budget{sweeps: 1, readers: 1, deletes: 1},
	},
	{
		name: "k: immediate, the retention of hours is raised", sizes: "ml",
		events: []string{"10T22:04", "10T22:05"}, ticks: expiring, sealed: 2, ttl: true,
		policies: []tier.Policy{immediate(10 * day), raised()}, functions: 1,
	},
	{
		name: "f0: deferred, two hours, a sweep, a reader of the day", sizes: "ml",
		events: []string{"10T22:55", "10T23:04"}, ticks: []string{"10T23:05", "11T00:20"},
		policies: []tier.Policy{deferred(0)}, functions: 1, read: tier.Day,
		budget: budget{sweeps: 1, readers: 1},
	},
	{
		name: "e1: deferred, two hours, deletion, a sweep, the first closing", sizes: "l",
		events: twoHours, ticks: firstClosing,
		policies: []tier.Policy{deferred(0)}, functions: 1,
		budget: budget{deletes: 1, sweeps: 1},
	},
	{
		name: "e2: deferred, two hours, deletion, a sweep, the second closing", sizes: "l",
		events: twoHours, ticks: secondClosing,
		policies: []tier.Policy{deferred(0)}, functions: 1,
		budget: budget{deletes: 1, sweeps: 1},
	},
	{
		name: "e3: deferred, two hours, crash, a sweep, the second closing", sizes: "l",
		events: twoHours, ticks: secondClosing,
		policies: []tier.Policy{deferred(0)}, functions: 1,
		budget: budget{crashes: 1, sweeps: 1},
	},
	{
		name: "e4: deferred, two hours, no response, a sweep, the second closing", sizes: "l",
		events: twoHours, ticks: secondClosing,
		policies: []tier.Policy{deferred(0)}, functions: 1,
		budget: budget{unknowns: 1, sweeps: 1},
	},
	{
		name: "f4: deferred, two hours, a sweep, a reader, the first closing", sizes: "l",
		events: twoHours, ticks: firstClosing,
		policies: []tier.Policy{deferred(0)}, functions: 1, read: tier.Day,
		budget: budget{sweeps: 1, readers: 1},
	},
	{
		name: "f5: deferred, two hours, a sweep, a reader, the second closing", sizes: "l",
		events: twoHours, ticks: secondClosing,
		policies: []tier.Policy{deferred(0)}, functions: 1, read: tier.Day,
		budget: budget{sweeps: 1, readers: 1},
	},
	{
		name: "f6: deferred, one event, two sweeps, a reader, no response", sizes: "l",
		events: twoHours[1:], ticks: bothClosings,
		policies: []tier.Policy{deferred(0)}, functions: 1, read: tier.Day,
		budget: budget{sweeps: 2, readers: 1, unknowns: 1},
	},
	{
		name: "g1: deferred, two hours, 2 functions, a sweep, the first closing", sizes: "l",
		events: twoHours, ticks: firstClosing,
		policies: []tier.Policy{deferred(0)}, functions: 2,
		budget: budget{sweeps: 1},
	},
	{
		name: "g2: deferred, two hours, 2 functions, a sweep, the second closing", sizes: "l",
		events: twoHours, ticks: secondClosing,
		policies: []tier.Policy{deferred(0)}, functions: 2,
		budget: budget{sweeps: 1},
	},
	{
		name: "g3: deferred, three events, 2 functions, a sweep, the first closing", sizes: "l",
		events: threeEvents, ticks: firstClosing,
		policies: []tier.Policy{deferred(0)}, functions: 2,
		budget: budget{sweeps: 1},
	},
	{
		name: "h1: deferred, clocks a minute apart, one event, three closings", sizes: "l",
		events: twoHours[1:], ticks: []string{"10T23:05", "11T00:14", "11T00:16", "11T00:18"}, skews: apart,
		policies: []tier.Policy{deferred(0)}, functions: 2,
		budget: budget{sweeps: 1},
	},
	{
		name: "i: days deferred, two hours, 2 functions, a sweep", sizes: "l",
		events: twoHours, ticks: closing,
		policies: []tier.Policy{deferred(1)}, functions: 2,
		budget: budget{sweeps: 1},
	},
	{
		name: "j: three events of two hours, immediate", sizes: "l",
		events: threeEvents, ticks: lateHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
	},
	{
		name: "j1: three events of two hours, immediate, crash", sizes: "l",
		events: threeEvents, ticks: lateHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
		budget: budget{crashes: 1},
	},
	{
		name: "j2: three events of two hours, immediate, repeat", sizes: "l",
		events: threeEvents, ticks: lateHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
		budget: budget{repeats: 1},
	},
	{
		name: "j3: three events of two hours, immediate, no response", sizes: "l",
		events: threeEvents, ticks: lateHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
		budget: budget{unknowns: 1},
	},
	{
		name: "j4: three events of two hours, immediate, deletion", sizes: "l",
		events: threeEvents, ticks: lateHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
		budget: budget{deletes: 1},
	},
	{
		name: "j5: three events of two hours, immediate, a reader of hours", sizes: "l",
		events: threeEvents, ticks: lateHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2, read: tier.Hour,
		budget: budget{readers: 1},
	},
	{
		name: "j6: two hours, immediate, deletion, crash and repeat", sizes: "l",
		events: twoHours, ticks: lateHour,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
		budget: budget{crashes: 1, repeats: 1, deletes: 1},
	},
	{
		name: "k1: immediate, seal and expiry, two hours, 2 functions", sizes: "l",
		events: sealedHours, ticks: expiring, sealed: 2, ttl: true,
		policies: []tier.Policy{immediate(10 * day)}, functions: 2,
	},
	{
		name: "k2: immediate, the retention is raised, two hours, 2 functions", sizes: "l",
		events: sealedHours, ticks: expiring, sealed: 2, ttl: true,
		policies: []tier.Policy{immediate(10 * day), raised()}, functions: 2,
	},
	{
		name: "k3: immediate, seal and expiry, two hours, crash and repeat", sizes: "l",
		events: sealedHours, ticks: expiring, sealed: 2, ttl: true,
		policies: []tier.Policy{immediate(10 * day)}, functions: 1,
		budget: budget{crashes: 1, repeats: 1},
	},
	{
		name: "k4: immediate, seal and expiry, three events", sizes: "l",
		events: threeEvents, ticks: expiring, sealed: 2, ttl: true,
		policies: []tier.Policy{immediate(10 * day)}, functions: 1,
	},
}
