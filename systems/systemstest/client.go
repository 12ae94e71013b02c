package systemstest

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Client is one client of a [Crowd].
type Client struct {
	// Client is the client itself.
	*systems.Client
	// N is the client's number in the crowd, from 0. Its ID is the number that the server assigned.
	N int

	crowd   *Crowd
	player  uint64 // client id with which it connects
	clock   clock
	link    *netsys.Conditioner
	rand    ecs.Rand
	neutral bool
	gone    bool // it left or was killed
	resume  time.Time
	frameAt time.Time
	status  systems.ClientStatus

	// since the last Mark
	base       Figures
	mismatches []systems.Mismatch
	firstMiss  uint32 // server tick; 0: none
	firstStall stall
}

// Join adds a client, which starts connecting at once.
func (c *Crowd) Join() *Client {
	c.t.Helper()
	return c.mustJoin(0)
}

// Return adds a client for the player of another client, as after a crash or on a second machine: with its client
// id, in a new session. A server with a reserved seat or a session of the player assigns the same entities. The
// other client is not affected; see [Client.Kill]. If clients have tokens, Config.Client must return a token of the
// same player for the new client.
func (c *Crowd) Return(k *Client) *Client {
	c.t.Helper()
	return c.mustJoin(k.player)
}

// mustJoin adds a client of a player, 0 for a new player. It fails the test if the client's configuration is invalid.
func (c *Crowd) mustJoin(player uint64) *Client {
	c.t.Helper()
	k, err := c.join(player)
	if err != nil {
		c.t.Fatalf("%v", err)
	}
	return k
}

// join adds a client of a player, 0 for a new player.
func (c *Crowd) join(player uint64) (*Client, error) {
	n := len(c.Clients)
	k := &Client{N: n, crowd: c, rand: ecs.NewRand(c.stream(n, streamPlay), 0)}
	conditions := netsys.ConditionerConfig{Seed: c.stream(n, streamLink), In: c.config.Link, Out: c.config.Link}
	if c.config.LinkSeed != nil {
		conditions.Seed = c.config.LinkSeed(n)
	}
	if c.config.Links != nil {
		conditions.Out, conditions.In = c.config.Links(n)
	}
	node := c.network.Node(netip.AddrPortFrom(c.address.Addr(), uint16(10_000+n)))
	link, err := netsys.Condition(node, conditions)
	if err != nil {
		return nil, fmt.Errorf("systemstest: the link of client %d: %w", n, err)
	}
	k.link = link
	c.byAddress[node.LocalAddr()] = k

	config := c.clientConfig(n)
	switch {
	case player != 0:
		config.Session.ClientID = player
	case config.Session.ClientID == 0 && config.Session.Token == nil:
		config.Session.ClientID = c.stream(n, streamToken) | 1<<63 // unlikely to be an id that the game assigns
	}
	k.player = config.Session.ClientID
	if config.Start.IsZero() {
		// The golden ratio spreads any number of clients over the step.
		_, share := math.Modf(float64(n+1) * math.Phi)
		config.Start = c.now.Add(time.Duration(share * float64(c.step)))
	}
	if config.Session.Random == nil {
		config.Session.Random = netsys.SeededRandom(c.stream(n, streamToken))
	}
	if gather := c.config.Play.gather; gather != nil {
		if !reflect.ValueOf(config.Gather).IsZero() {
			return nil, fmt.Errorf("systemstest: client %d has a Gather besides Config.Play; give one of them", n)
		}
		config.Gather = gather(k)
	}
	if callback := config.Prediction.OnMismatch; !c.config.CountOnly {
		config.Prediction.OnMismatch = func(m systems.Mismatch) {
			if len(k.mismatches) < cap(k.mismatches) {
				k.mismatches = append(k.mismatches, m)
			}
			if callback != nil {
				callback(m)
			}
		}
	}
	k.mismatches = make([]systems.Mismatch, 0, keptMismatches)
	k.Client, err = systems.NewClient(&tap{link, k}, c.address, c.config.Protocol(), config)
	if err != nil {
		return nil, fmt.Errorf("systemstest: client %d: %w", n, err)
	}
	k.frameAt = config.Start
	c.Clients = append(c.Clients, k)
	return k, nil
}

// stall is the state of a client's playback at a stall.
type stall struct {
	tick   uint32 // of the server; 0: no stall
	drawn  float64
	newest uint32
}

// keptMismatches is the maximum number of mismatches that a failure lists.
const keptMismatches = 4

// String returns the name of the client in failures.
func (k *Client) String() string {
	if k.ID() == 0 {
		return fmt.Sprintf("client %d", k.N)
	}
	return fmt.Sprintf("client %d (id %d)", k.N, k.ID())
}

// Rand returns random numbers for what the client does. They depend on the crowd's seed and the client's number.
func (k *Client) Rand() *ecs.Rand { return &k.rand }

// SetNeutral makes the client's [Script] leave inputs neutral, or fill them in again.
func (k *Client) SetNeutral(neutral bool) { k.neutral = neutral }

// Address returns the client's address, as in [systems.ClientStatus]. The clients of a crowd have consecutive
// ports.
func (k *Client) Address() netip.AddrPort { return k.link.LocalAddr() }

// Links returns the current links.
func (k *Client) Links() (up, down netsys.Link) {
	down, up = k.link.Links()
	return up, down
}

// SetLinks changes the links to the server and from it. Datagrams in flight keep their delays. SetLinks ends the
// test if a link is invalid.
func (k *Client) SetLinks(up, down netsys.Link) {
	k.crowd.t.Helper()
	if err := k.link.SetLinks(down, up); err != nil {
		k.crowd.t.Fatalf("systemstest: the links of %v: %v", k, err)
	}
}

// Stall keeps the client from running for d, like a window that is being dragged. Then it catches up. Datagrams
// wait.
func (k *Client) Stall(d time.Duration) { k.resume = k.crowd.now.Add(d) }

// Leave closes the session cleanly. Assertions ignore the client from now on.
func (k *Client) Leave() {
	if k.present() {
		k.gone = true
		_ = k.Close(k.Now()) // a transport in memory has no errors
	}
}

// Kill stops the client. The server notices it by its timeout. Assertions ignore the client from now on.
func (k *Client) Kill() { k.gone = true }

// Status returns what the server knows of the client as of its last tick; zero before the server has admitted it.
func (k *Client) Status() systems.ClientStatus { return k.status }

// present reports whether the client has neither left nor been killed.
func (k *Client) present() bool { return !k.gone }

// running reports whether the client has a session or is connecting.
func (k *Client) running() bool { return !k.gone && k.Err() == nil }

// tick runs what is due on the client.
func (k *Client) tick() {
	c := k.crowd
	if k.Advance(k.Now()) == 0 {
		return
	}
	for _, f := range c.clientTick {
		f(k)
	}
	if c.config.FrameRate == 0 {
		k.draw()
	}
}

// draw updates the view.
func (k *Client) draw() {
	c := k.crowd
	if rate := c.config.FrameRate; rate > 0 {
		k.frameAt = c.now.Add(time.Second / time.Duration(rate))
	}
	if !k.Connected() {
		return
	}
	before := k.Stats().Stalls
	k.Frame(k.Now())
	if k.firstStall.tick == 0 && k.Stats().Stalls > before {
		k.firstStall = stall{tick: c.Server.Tick(), drawn: k.DrawnTick(), newest: k.ServerTick()}
	}
	for _, f := range c.frame {
		f(k)
	}
}

// observe stores the server's status of the client after a tick.
func (k *Client) observe(s systems.ClientStatus) {
	if k.firstMiss == 0 && s.Inputs.Missing > k.status.Inputs.Missing {
		k.firstMiss = k.crowd.Server.Tick()
	}
	k.status = s
}
