package netsys_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Eight players on random links, for a minute of virtual time with random events: other links, narrow links, outages, new
// addresses, paused processes, takeovers, crashes, goodbyes, new players. Nothing arrives twice, changed, out of order or
// without having been sent. Sessions end for the reason that there was, and for no other. When the links are good again, every
// message of a living session arrives. TACTUS_SEEDS is the number of matches.
func TestCampaign(t *testing.T) {
	t.Parallel()
	seeds := 1
	if n, err := strconv.Atoi(os.Getenv("TACTUS_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { campaign(t, uint64(seed)) })
	}
}

// anyLink returns a link on which a session can live.
func anyLink(rng *rand.Rand) netsys.Link {
	latency := time.Duration(rng.IntN(150)) * time.Millisecond
	link := netsys.Link{Latency: latency, Jitter: latency / time.Duration(2+rng.IntN(10)), Loss: rng.Float64() * 0.2, Duplicate: rng.Float64() * 0.1}
	if rng.IntN(2) == 0 {
		link.Burst = time.Duration(20+rng.IntN(100)) * time.Millisecond
	}
	if rng.IntN(4) == 0 {
		link.Bandwidth = 20_000 + rng.IntN(200_000)
	}
	return link
}

// destiny is the state of a campaign's faults for a player.
type destiny struct {
	*player
	until  time.Time // end of the present fault
	outage bool
	over   bool // it died, left or was taken over
	died   bool
}

func campaign(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := newStage(t, netsys.ServerConfig{Timeout: 5 * time.Second})
	var all []*destiny
	ids := uint64(0)
	join := func(id uint64) { all = append(all, &destiny{player: s.join(id, anyLink(rng))}) }
	for range 8 {
		ids++
		join(ids)
	}
	for range 60 * 60 {
		for _, d := range all {
			if d.over || !d.seated() || d.endAtServer != nil {
				continue
			}
			if d.asleep {
				d.hear()
			} else {
				d.play()
				d.talk(rng.IntN(bulkChannel), 8+rng.IntN(100))
			}
			if rng.IntN(120) == 0 {
				d.talk(bulkChannel, 8+rng.IntN(20_000))
			}
			if s.now.Before(d.until) {
				continue
			}
			d.until = s.now.Add(time.Duration(500+rng.IntN(3000)) * time.Millisecond)
			if d.outage { // together, two of them would be longer than the timeout
				d.outage, d.asleep = false, false
				_ = d.link.SetLinks(anyLink(rng), anyLink(rng))
				continue
			}
			switch n := rng.IntN(16); n {
			case 0, 1, 2, 3:
				_ = d.link.SetLinks(anyLink(rng), anyLink(rng))
			case 4, 5:
				d.move(uint16(1024+rng.IntN(60000)), byte(rng.IntN(2)))
			case 6, 7, 8:
				in, out := anyLink(rng), anyLink(rng)
				if n != 6 {
					in.Loss = 1
				}
				if n != 7 {
					out.Loss = 1
				}
				d.outage = true
				_ = d.link.SetLinks(in, out)
			case 9:
				d.outage, d.asleep = true, true
			case 10:
				d.over = true
				join(d.id)
			case 11:
				d.over, d.died, d.asleep = true, true, true
				ids++
				join(ids)
			case 12:
				d.over = true
				_ = d.Close(s.now)
				ids++
				join(ids)
			}
		}
		s.step()
	}
	good := netsys.Link{Latency: 20 * time.Millisecond}
	for _, d := range all {
		d.asleep = d.died
		_ = d.link.SetLinks(good, good)
	}
	delivered := func() bool {
		for _, d := range all {
			if !d.over && d.seated() && !d.delivered() {
				return false
			}
		}
		return true
	}
	s.run(12*time.Second, nil)
	for end := s.now.Add(30 * time.Second); s.now.Before(end) && !delivered(); {
		s.step()
	}
	for _, d := range all {
		d.correct()
		switch {
		case d.over:
			if d.endAtServer == nil {
				t.Errorf("client %d goes on at the server after its end", d.id)
			}
			if d.died && !errors.Is(d.endAtServer, netsys.ErrTimeout) {
				t.Errorf("client %d died, the server says %v", d.id, d.endAtServer)
			}
		case d.reason != nil || d.endAtServer != nil || !d.seated():
			t.Errorf("client %d: ended with %v, at the server %v", d.id, d.reason, d.endAtServer)
		case !d.delivered():
			t.Errorf("client %d: not all messages arrived", d.id)
		}
	}
	for name, n := range map[string]uint64{"malformed": s.server.Drops()[netsys.DropMalformed], "channels": s.server.Drops()[netsys.DropChannels]} {
		if n != 0 {
			t.Errorf("%d %s", n, name)
		}
	}
}
