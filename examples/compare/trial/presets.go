package trial

import (
	"time"

	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// Preset has the results of one preset, with the same players on the same links. Errors are in units of the world. A player
// walks two units in a tick.
type Preset struct {
	Model  string `json:"model"`
	Preset string `json:"preset"` // equals Model
	// Corrections counts wrong predictions of clients; under rollback it counts rollbacks.
	Corrections uint64 `json:"corrections"`
	// VisualError is the distance between a drawn player and its position: the present position of other players, and the
	// position after the newest input for the own player. OwnError and OthersError are its parts.
	VisualError float64 `json:"p99_visual_error"`
	OwnError    float64 `json:"p99_own_error"`
	OthersError float64 `json:"p99_others_error"`
	// InputDelay is the mean time from gathering an input to its effect on the player's own screen, SeenDelay to its effect on
	// other players' screens.
	InputDelay float64 `json:"input_delay_ms"`
	SeenDelay  float64 `json:"seen_by_others_ms"`
	// Resimulated is the total over all peers, Server the part of the server. Peers are figures per tick.
	Resimulated float64 `json:"resimulated_ticks"`
	Server      float64 `json:"server_resimulated_ticks"`
	Peers       Peers   `json:"resimulated_per_tick"`
	// Bytes is the total in both directions, with the overhead of sessions.
	Bytes uint64  `json:"bytes"`
	Down  float64 `json:"bytes_down_per_client_s"`
	Up    float64 `json:"bytes_up_per_client_s"`
	// Kills counts final kills, Withdrawn provisional kills that the server withdrew.
	Kills     int `json:"kills"`
	Withdrawn int `json:"kills_withdrawn"`
}

// roundTrips are the round trips of the players in the comparison, in turn.
var roundTrips = []time.Duration{40 * time.Millisecond, 80 * time.Millisecond, 120 * time.Millisecond, 200 * time.Millisecond}

const (
	presetJitter = 15 * time.Millisecond
	presetLoss   = 0.03
	presetBurst  = 50 * time.Millisecond
	presetSide   = 280 // units
)

// presetLinks returns the links of the players in the comparison.
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
	if err := m.warmUp(warmup); err != nil {
		return r, err
	}
	before, bytes, kills := m.counts(), m.Server.Stats(), m.kills
	var corrections uint64
	for _, p := range m.Clients {
		corrections -= p.Stats().Corrections
	}
	watch.attach(m)
	if err := m.runUntil(epoch.Add(warmup + length)); err != nil {
		return r, err
	}
	after, again, each := m.Server.Stats(), m.since(before), m.perTick(before)
	for _, p := range m.Clients {
		corrections += p.Stats().Corrections
	}
	seconds := float64(o.Seconds * o.Players)
	r = Preset{
		Model: p.String(), Preset: p.String(), Corrections: corrections, Resimulated: again.Total(), Server: again.Server, Peers: each,
		Bytes: after.BytesOut - bytes.BytesOut + after.BytesIn - bytes.BytesIn,
		Down:  round(float64(after.BytesOut-bytes.BytesOut) / seconds), Up: round(float64(after.BytesIn-bytes.BytesIn) / seconds),
	}
	// Wait until provisional kills are decided and the journal is final.
	watch.detach(m)
	if err := m.runTicks(2 * rate); err != nil {
		return r, err
	}
	r.Kills, r.Withdrawn = m.kills.committed-kills.committed, m.kills.withdrawn-kills.withdrawn
	watch.report(m, &r)
	return r, nil
}
