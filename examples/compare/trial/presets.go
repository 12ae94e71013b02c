package trial

import (
	"time"

	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// Preset is what one preset makes of the same players on the same links. Errors are in units, of which a player walks
// two in a tick.
type Preset struct {
	Preset string `json:"preset"`
	// Corrections is how often a client was told that its prediction was wrong, under rollback how often it had to go back.
	Corrections uint64 `json:"corrections"`
	// VisualError is how far a player is drawn from where it is: others from where they are in that moment, the own one
	// from where its newest input leads. OwnError and OthersError are its parts.
	VisualError float64 `json:"p99_visual_error"`
	OwnError    float64 `json:"p99_own_error"`
	OthersError float64 `json:"p99_others_error"`
	// InputDelay is from gathering an input to its effect on the own screen, SeenDelay on those of others: means.
	InputDelay float64 `json:"input_delay_ms"`
	SeenDelay  float64 `json:"seen_by_others_ms"`
	// Resimulated is in all, Server the server's part of it; Peers for each tick.
	Resimulated float64 `json:"resimulated_ticks"`
	Server      float64 `json:"server_resimulated_ticks"`
	Peers       Peers   `json:"resimulated_per_tick"`
	// Bytes is in all, both ways, with the sessions' overhead.
	Bytes uint64  `json:"bytes"`
	Down  float64 `json:"bytes_down_per_client_s"`
	Up    float64 `json:"bytes_up_per_client_s"`
	// Kills is those that are final, Withdrawn those that the server took back before.
	Kills     int `json:"kills"`
	Withdrawn int `json:"kills_withdrawn"`
}

// roundTrips are those of the players of the comparison, by turns.
var roundTrips = []time.Duration{40 * time.Millisecond, 80 * time.Millisecond, 120 * time.Millisecond, 200 * time.Millisecond}

const (
	presetJitter = 15 * time.Millisecond
	presetLoss   = 0.03
	presetBurst  = 50 * time.Millisecond
	presetSide   = 280 // units
)

// presetLinks are the links of the comparison.
func presetLinks(players int) (links []netsys.Link) {
	for n := range players {
		links = append(links, netsys.Link{
			Latency: roundTrips[n%len(roundTrips)] / 2, Jitter: presetJitter, Loss: presetLoss, Burst: presetBurst,
		})
	}
	return links
}

func preset(o Options, p policy.Model) (r Preset, err error) {
	s := setup{
		model: p, seed: o.Seed, links: presetLinks(o.Players), spread: true, journal: true,
		rules: world.Rules{Side: presetSide, Gusts: 5 * rate, Harm: 100},
	}
	if policy.Is[policy.Buffered](p) {
		s.wake = 3
	}
	length := time.Duration(o.Seconds) * time.Second
	script := newScript(o.Seed, o.Players, epoch.Add(warmup), length)
	watch := newMeter(script)
	s.play = watch.input
	m, err := newMatch(s)
	if err != nil {
		return r, err
	}
	if err := m.begin(warmup); err != nil {
		return r, err
	}
	before, bytes, kills := m.counts(), m.Server.Stats(), m.kills
	var corrections uint64
	for _, p := range m.Clients {
		corrections -= p.Stats().Corrections
	}
	watch.attach(m)
	if err := m.run(epoch.Add(warmup + length)); err != nil {
		return r, err
	}
	after, again, each := m.Server.Stats(), m.since(before), m.perTick(before)
	for _, p := range m.Clients {
		corrections += p.Stats().Corrections
	}
	seconds := float64(o.Seconds * o.Players)
	r = Preset{
		Preset: p.String(), Corrections: corrections, Resimulated: again.Total(), Server: again.Server, Peers: each,
		Bytes: after.BytesOut - bytes.BytesOut + after.BytesIn - bytes.BytesIn,
		Down:  round(float64(after.BytesOut-bytes.BytesOut) / seconds), Up: round(float64(after.BytesIn-bytes.BytesIn) / seconds),
	}
	// What is provisional is decided, and what was drawn is compared, when the past is final.
	watch.detach(m)
	if err := m.pass(2 * rate); err != nil {
		return r, err
	}
	r.Kills, r.Withdrawn = m.kills.committed-kills.committed, m.kills.withdrawn-kills.withdrawn
	watch.report(m, &r)
	return r, nil
}
