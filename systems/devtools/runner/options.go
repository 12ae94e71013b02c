package runner

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/devtools/internal/tokens"
	"github.com/tactusgo/tactus/systems/policy"
)

// Options are the flags of every world, with the same names; -h explains them. For numbers and durations that have a
// non-zero default but may be zero, such as Loss, use -1 for zero in Game.Defaults.
type Options struct {
	// Headless plays for Duration and prints a report. Virtual uses virtual time, and JSON prints a JSON object.
	Headless, Virtual, JSON bool
	// Clients is the number of bots, Guests the number of additional bots, NPCs the number of entities of the server.
	Clients, Guests, NPCs int
	// Preset is the netcode model. Timing is buffered or arrival. Transport is udp or ws.
	Preset, Timing, Transport string
	// RTT is the mean round trip of a bot's link, and Jitter the variation in each direction. Burst is the mean
	// duration of a run of losses; 0 makes losses independent.
	RTT, Jitter, Burst time.Duration
	// Loss is the share of lost packets in each direction, and Duplicate the share of packets that arrive twice, from
	// 0 to 1.
	Loss, Duplicate float64
	// WiFi makes each direction of a bot's link stall as a radio does: 5 % of packets are up to 150 ms late, in bursts.
	WiFi bool
	// Tick is the number of simulation steps a second. The server wakes up every ServerEvery steps. Send is the
	// orDefault of snapshots a second.
	Tick, ServerEvery, Send int
	// Push is how often the server alone moves each player; 0: never.
	Push time.Duration
	// Without lists systems that clients omit, separated by commas.
	Without string
	// Duration is the length of a match, including Warmup. Figures of a client start one Warmup after its first
	// consumed input.
	Duration, Warmup time.Duration
	// Seed determines all random numbers.
	Seed uint64
	// ForceRollback makes the server simulate every tick twice and compare the results.
	ForceRollback bool
	// Record and Replay are the files of a recording to write and to play. A flight of the last ten minutes is written next to the
	// recording, at the end or when the game panics. Rerun is the file of such a recording, whose flight is simulated again without a
	// network.
	Record, Replay, Rerun string
	// Samples is a file to which the server writes samples of its snapshots. Trained is a file of statistics with which snapshots are
	// encoded.
	Samples, Trained string
	// Save is the file to which the server is saved at the end. Load is such a file, from which the server continues. Then
	// Game.Populate does not run, and Seed is only that of the bots.
	Save, Load string
	// Bandwidth is the capacity of a bot's link in bytes a second, in each direction; 0: unlimited.
	Bandwidth int
	// Key is the secret shared with the issuer of connect tokens, as hexadecimal digits or @FILE. Token is the source
	// of the bots' tokens, and Login the user name there. Public lists the addresses of the server in tokens.
	Key, Token, Login, Public string
	// Rooms plays in rooms of Seats players, at most MaxRooms at once, instead of one match. Bots is the number of bots that
	// keep the first player of a room company.
	Rooms                 bool
	Seats, Bots, MaxRooms int
	// Insecure allows other machines to play without tokens.
	Insecure bool
	// Inspect is the address of the inspector; "": none.
	Inspect string

	thin   bool // bots neither predict nor draw
	apart  bool // server and bots are separate processes
	files  files
	access access
}

// flagDefaults returns the defaults of flags for which a world has none.
func flagDefaults() Options {
	return Options{
		Clients: 8, NPCs: 50, Preset: policy.LocalSync{}.String(), Timing: timingBuffered, Transport: transportUDP,
		RTT: 100 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.02,
		Tick: 60, ServerEvery: 1, Duration: time.Minute, Warmup: 10 * time.Second, Seed: 1,
	}
}

// setDefaults replaces zeros by the values of d, and then negative values by zero.
func (o *Options) setDefaults(d *Options) {
	orDefault(&o.NPCs, d.NPCs)
	orDefault(&o.Guests, d.Guests)
	orDefault(&o.Bandwidth, d.Bandwidth)
	orDefault(&o.RTT, d.RTT)
	orDefault(&o.Jitter, d.Jitter)
	orDefault(&o.Burst, d.Burst)
	orDefault(&o.Push, d.Push)
	orDefault(&o.Warmup, d.Warmup)
	orDefault(&o.Loss, d.Loss)
	orDefault(&o.Duplicate, d.Duplicate)
	o.Clients, o.Tick, o.ServerEvery, o.Send = cmp.Or(o.Clients, d.Clients), cmp.Or(o.Tick, d.Tick), cmp.Or(o.ServerEvery, d.ServerEvery), cmp.Or(o.Send, d.Send)
	o.Preset, o.Timing, o.Transport = cmp.Or(o.Preset, d.Preset), cmp.Or(o.Timing, d.Timing), cmp.Or(o.Transport, d.Transport)
	o.Without, o.Duration, o.Seed = cmp.Or(o.Without, d.Without), cmp.Or(o.Duration, d.Duration), cmp.Or(o.Seed, d.Seed)
}

func orDefault[T int | float64 | time.Duration](v *T, otherwise T) {
	*v = max(cmp.Or(*v, otherwise), 0)
}

// register declares the flags on fs, with the world's defaults.
func (o *Options) register(fs *flag.FlagSet, game *Game) {
	d := game.defaults()
	fs.BoolVar(&o.Headless, "headless", d.Headless, "run server and clients without a screen, then print a report")
	fs.BoolVar(&o.Virtual, "virtual", d.Virtual, "with -headless: use a memory network and virtual time, as fast as the machine allows")
	fs.BoolVar(&o.JSON, "json", d.JSON, "with -headless: print the report as one JSON object in the last line; with -serve or -connect, its half;\nwith -rooms: print only one line, a JSON object with the addresses")
	fs.IntVar(&o.Clients, "clients", d.Clients, "number of bots; with -serve, the number of clients that may join, at least 256")
	fs.IntVar(&o.Guests, "guests", d.Guests, "additional bots, numbered after those of -clients: spectators or late joiners, if the world has them")
	fs.IntVar(&o.NPCs, "npcs", d.NPCs, "server-controlled entities")
	fs.StringVar(&o.Preset, "preset", d.Preset, "another name of -model")
	fs.StringVar(&o.Preset, "model", d.Preset, "netcode model: "+strings.Join(game.presets(), ", ")+"; see package systems/policy")
	fs.StringVar(&o.Timing, "timing", d.Timing, "when the server consumes inputs: buffered or arrival; ignored by models with stamped inputs")
	fs.StringVar(&o.Transport, "transport", d.Transport, "transport over real sockets: "+strings.Join(game.transports(), ", ")+"; ignored with -virtual (ws: WebSocket)")
	fs.DurationVar(&o.RTT, "rtt", d.RTT, "mean round trip")
	fs.DurationVar(&o.Jitter, "jitter", d.Jitter, "each packet's one-way delay varies uniformly by up to this duration in both directions; at most half of rtt")
	fs.Float64Var(&o.Loss, "loss", d.Loss, "share of packets lost in each direction, 0 to 1")
	fs.DurationVar(&o.Burst, "burst", d.Burst, "mean length of loss bursts; 0: independent losses")
	fs.BoolVar(&o.WiFi, "wifi", d.WiFi, "also make the link stall as WiFi does: 5 % of packets are up to 150 ms late, in bursts")
	fs.Float64Var(&o.Duplicate, "dup", d.Duplicate, "share of packets duplicated, 0 to 1")
	fs.IntVar(&o.Bandwidth, "bandwidth", d.Bandwidth, "capacity of each client's link in each direction, in bytes per second including headers,\nwith a queue of 200 ms; 0: unlimited")
	fs.IntVar(&o.Tick, "tick", d.Tick, "simulation steps per second")
	fs.IntVar(&o.ServerEvery, "server-every", d.ServerEvery, "steps per wake-up of the server; must divide tick; the default is 3 with -model Buffered if -tick and -send allow it")
	fs.IntVar(&o.Send, "send", d.Send, "snapshots per second, a divisor of tick ÷ server-every; 0: up to one every wake-up, as the server's load and the path allow")
	if game.Push != nil {
		fs.DurationVar(&o.Push, "push", d.Push, "interval at which the server moves each player by 10 units without the clients' knowledge; 0: never")
	}
	fs.StringVar(&o.Without, "without", d.Without, "remove systems from the clients: Predict, Reconcile, Interpolate, separated by commas")
	fs.DurationVar(&o.Duration, "duration", d.Duration, "duration of the match, including the warm-up")
	fs.DurationVar(&o.Warmup, "warmup", d.Warmup, "time from a client's first consumed input to the start of its statistics; a fifth of a shorter -duration")
	fs.BoolVar(&o.ForceRollback, "force-rollback", d.ForceRollback, "simulate every tick of the server twice, in another storage order, and report differences")
	fs.StringVar(&o.Record, "record", d.Record, "record the match to this `file`, as a spectator sees it; -replay plays it. At the end, and when the game panics,\nthe inputs of the last 10 minutes are written to file.flight; -rerun simulates them again")
	fs.StringVar(&o.Replay, "replay", d.Replay, "play the match that was recorded to this `file` on the page; with -headless: compare every frame with the one\nthat a spectator of the recorded match saw")
	fs.StringVar(&o.Samples, "samples", d.Samples, "write samples of the server's snapshots to this `file`, for go run ./codec/train -in file")
	fs.StringVar(&o.Trained, "trained", d.Trained, "`file` of codec/train with statistics for encoding snapshots; server and bots need the same file,\notherwise they use the built-in statistics")
	fs.StringVar(&o.Save, "save", d.Save, "save the server to this `file` at the end, and on SIGTERM")
	fs.StringVar(&o.Load, "load", d.Load, "continue the server that was saved to this `file`: bots with the same -seed get their entities back")
	fs.StringVar(&o.Rerun, "rerun", d.Rerun, "simulate the last 10 minutes of the match that was recorded to this `file` again, with its model and tick rate\nand without a network; compare the worlds, and find the first difference")
	fs.StringVar(&o.Key, "key", d.Key, "secret shared with the issuer of connect tokens: 64 `hex` digits, or @FILE (go run ./examples/tokens\n-generate FILE creates one). Bots of a process with the key issue their own tokens. Without a key, anyone on\nthis machine can play, and nobody else")
	fs.StringVar(&o.Token, "token", d.Token, "with -connect: sources of the bots' connect tokens, separated by commas: one `file` per bot\n(2,048 bytes, base64 or JSON of a login service), or the URL of a service such as examples/tokens")
	fs.StringVar(&o.Login, "login", d.Login, "with -token URL: the user `names`, separated by commas, one per bot; the password is in the\nenvironment variable "+tokens.PasswordVariable)
	fs.StringVar(&o.Public, "public", d.Public, "with -key: the server's `addresses` in tokens, separated by commas; default: the address it listens on")
	fs.BoolVar(&o.Insecure, "insecure-anyone-can-join", d.Insecure, "allow other machines without -key and -token: anyone can join under any name, read\nand forge packets; server and clients must both set it")
	if game.Inspect != nil {
		fs.StringVar(&o.Inspect, "inspect", d.Inspect, "serve the inspector of the running server at this `address`, such as 127.0.0.1:7781: ticks, clients, traffic,\nentities; other machines need the token in the environment variable "+inspectVariable)
	}
	if r := game.Rooms; r != nil && game.Live != nil {
		fs.BoolVar(&o.Rooms, "rooms", d.Rooms, "play in rooms instead of one match: the page has a lobby with open rooms, and links to invite others")
		fs.IntVar(&o.Seats, "seats", r.Seats, "with -rooms: seats in a room")
		fs.IntVar(&o.Bots, "bots", r.Bots, "with -rooms: bots that join the first player of a room. One leaves for each further player, and one seat\nalways stays free of bots")
		fs.IntVar(&o.MaxRooms, "max-rooms", 200, "with -rooms: maximum number of rooms")
	}
	fs.Uint64Var(&o.Seed, "seed", d.Seed, "seed of all random numbers")
}

// maxClients is the maximum of -clients.
const maxClients = 10_000

// removable lists the systems that -without accepts.
var removable = []string{"Predict", "Reconcile", "Interpolate"}

// validate returns a one-line error for invalid options.
func (o *Options) validate(game *Game) error {
	switch {
	case o.Clients < 1 || o.Clients > maxClients:
		return fmt.Errorf("-clients %d: 1 to %d are allowed", o.Clients, maxClients)
	case o.Guests < 0 || o.Guests > 1000:
		return fmt.Errorf("-guests %d: 0 to 1000 are allowed", o.Guests)
	case o.NPCs < 0 || o.NPCs > 100_000:
		return fmt.Errorf("-npcs %d: 0 to 100000 are allowed", o.NPCs)
	case !slices.Contains(game.presets(), o.Preset):
		return fmt.Errorf("-model %s: allowed are %s", o.Preset, strings.Join(game.presets(), ", "))
	case o.Timing != timingBuffered && o.Timing != timingArrival:
		return fmt.Errorf("-timing %s: allowed are %s, %s", o.Timing, timingBuffered, timingArrival)
	case o.Timing == timingArrival && o.stamped():
		return fmt.Errorf("-timing %s: not allowed with -model %s, whose inputs are stamped", o.Timing, o.Preset)
	case !slices.Contains(transportNames, o.Transport) || !o.Virtual && !slices.Contains(game.transports(), o.Transport):
		return o.noTransport(game)
	case o.RTT < 0 || o.RTT > time.Minute:
		return fmt.Errorf("-rtt %v: 0 to 1m are allowed", o.RTT)
	case o.Jitter < 0 || o.Jitter > o.RTT/2:
		return fmt.Errorf("-jitter %v: 0 to half of -rtt, %v, is allowed", o.Jitter, o.RTT/2)
	case !(o.Loss >= 0 && o.Loss <= 1):
		return fmt.Errorf("-loss %v: 0 to 1 is allowed", o.Loss)
	case !(o.Duplicate >= 0 && o.Duplicate <= 1):
		return fmt.Errorf("-dup %v: 0 to 1 is allowed", o.Duplicate)
	case o.Burst < 0:
		return fmt.Errorf("-burst %v: 0 or more is allowed", o.Burst)
	case o.Tick < 1 || o.Tick > 1000:
		return fmt.Errorf("-tick %d: 1 to 1000 are allowed", o.Tick)
	case o.ServerEvery < 1 || o.Tick%o.ServerEvery != 0:
		return fmt.Errorf("-server-every %d: allowed are divisors of -tick, %s", o.ServerEvery, divisors(o.Tick))
	case o.Send < 0 || o.Send > 0 && o.Tick/o.ServerEvery%o.Send != 0:
		return fmt.Errorf("-send %d: allowed are 0 and the divisors of -tick ÷ -server-every, %s", o.Send, divisors(o.Tick/o.ServerEvery))
	case o.simulatesEverywhere() && o.Push > 0:
		return fmt.Errorf("-push %v: with -model %s the server cannot move a player alone: only 0 is allowed", o.Push, o.Preset)
	case o.simulatesEverywhere() && o.Without != "":
		return fmt.Errorf("-without %s: not allowed with -model %s, whose clients need all systems", o.Without, o.Preset)
	case o.Push < 0 || o.Push > 0 && o.Push < time.Second/time.Duration(o.Tick):
		return fmt.Errorf("-push %v: 0, or a tick or more, is allowed", o.Push)
	case o.Duration <= 0:
		return fmt.Errorf("-duration %v: more than 0 is allowed", o.Duration)
	case o.Warmup < 0 || o.Warmup >= o.Duration:
		return fmt.Errorf("-warmup %v: 0 to less than -duration, %v, is allowed", o.Warmup, o.Duration)
	case o.Bandwidth < 0:
		return fmt.Errorf("-bandwidth %d: 0 or more is allowed", o.Bandwidth)
	case o.Key != "" && o.Token != "":
		return fmt.Errorf("-key and -token: only one of them is allowed: with the key, bots need no token")
	case o.Insecure && (o.Key != "" || o.Token != ""):
		return fmt.Errorf("-insecure-anyone-can-join: not allowed with -key or -token")
	case o.Public != "" && o.Key == "":
		return fmt.Errorf("-public: allowed with -key only")
	case o.Login != "" && !strings.Contains(o.Token, "://"):
		return fmt.Errorf("-login: allowed with -token URL only")
	case o.Login == "" && strings.Contains(o.Token, "://"):
		return fmt.Errorf("-token URL: set -login to the user names")
	case o.Virtual && !o.Headless:
		return fmt.Errorf("-virtual: allowed with -headless only")
	case o.Inspect != "" && o.Virtual:
		return fmt.Errorf("-inspect: not allowed with -virtual, whose matches last a moment only")
	case o.JSON && !o.Headless && !o.Rooms && o.Rerun == "":
		return fmt.Errorf("-json: allowed with -headless only")
	case o.Rooms && (o.Seats < 1 || o.Seats > 256):
		return fmt.Errorf("-seats %d: 1 to 256 are allowed", o.Seats)
	case o.Rooms && (o.Bots < 0 || o.Bots > 64):
		return fmt.Errorf("-bots %d: 0 to 64 are allowed", o.Bots)
	case o.Rooms && (o.MaxRooms < 1 || o.MaxRooms > 10_000):
		return fmt.Errorf("-max-rooms %d: 1 to 10000 are allowed", o.MaxRooms)
	}
	for _, name := range o.without() {
		if !slices.Contains(removable, name) {
			return fmt.Errorf("-without %s: allowed are %s", name, strings.Join(removable, ", "))
		}
	}
	if err := o.link().Validate(); err != nil {
		return err
	}
	return nil
}

// noTransport returns an error that lists the available transports.
func (o *Options) noTransport(game *Game) error {
	ways := game.transports()
	if o.Virtual {
		ways = transportNames
	}
	if len(ways) > 0 {
		return fmt.Errorf("-transport %s: allowed are %s", o.Transport, strings.Join(ways, ", "))
	}
	return fmt.Errorf("%s has no sockets: allowed is -headless -virtual", game.Name)
}

func divisors(n int) string {
	var all []string
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			all = append(all, fmt.Sprint(d))
		}
	}
	return strings.Join(all, ", ")
}

func (o *Options) without() []string { return tokens.List(o.Without) }

// link returns one direction of each client's link.
func (o *Options) link() netsys.Link {
	l := netsys.Link{Latency: o.RTT / 2, Jitter: o.Jitter, Loss: o.Loss, Burst: o.Burst, Duplicate: o.Duplicate, Bandwidth: o.Bandwidth}
	if o.WiFi {
		l.Stall, l.Stalled = 150*time.Millisecond, 0.05
	}
	return l
}

// describeLink formats the link.
func (o *Options) describeLink() string {
	wifi := ""
	if o.WiFi {
		wifi = ", with the stalls of WiFi"
	}
	return fmt.Sprintf("%v ± %v, %.3g %% lost%s", o.RTT, o.Jitter, 100*o.Loss, wifi)
}

// random returns the source of keys, seeded in virtual time.
func (o *Options) random(seed uint64) func([]byte) {
	if o.Virtual {
		return netsys.SeededRandom(seed)
	}
	return nil
}

// closing returns the length of the closing phase without link conditions, if both sides know when the match ends.
func (o *Options) closing() time.Duration {
	if o.apart {
		return 0
	}
	return 2*o.RTT + time.Second
}

// tickLength returns the length of a simulation step.
func (o *Options) tickLength() time.Duration {
	return time.Duration(float64(time.Second) / float64(o.Tick))
}

// bots returns the total number of bots.
func (o *Options) bots() int { return o.Clients + o.Guests }
