//go:build wasm

package wasm

import (
	"errors"
	"math"
	"strings"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/host"
)

// abi is the number of the list of exports.
const abi = 1

// Bounds of what a page can ask for.
const (
	maxRoom  = 1 << 20
	maxHosts = 256
	maxOut   = 64 // datagrams that wait
)

// module is what the exports work on: they are functions of the module, and have nothing else to go by.
var module struct {
	game     Game
	protocol *ecs.Protocol
	room     []byte
	text     int
	failed   host.Reason
	hosts    [maxHosts]*player
}

// player is a host with its socket's end.
type player struct {
	*host.Host
	wire  *host.Wire
	out   []byte
	block []uint32
}

var errRoom = errors.New("wasm: lengths that do not fit the room")

// of is the host of a number; nil, with a text, where there is none.
func of(n int32) *player {
	if n < 1 || n > maxHosts || module.hosts[n-1] == nil {
		say("wasm: there is no such host")
		return nil
	}
	return module.hosts[n-1]
}

// say makes s the newest text.
func say(s string) {
	s = s[:min(len(s), maxRoom)]
	room(int32(len(s)))
	module.text = copy(module.room, s)
}

// told reports that there was no error; of another one it makes the text.
func told(err error) bool {
	if err != nil {
		say(err.Error())
	}
	return err == nil
}

// given is what a page has put into the room, n bytes from a place on.
func given(at, n int32) ([]byte, error) {
	if at < 0 || n < 0 || int64(at)+int64(n) > int64(len(module.room)) {
		return nil, errRoom
	}
	return module.room[at : at+n : at+n], nil
}

// timeOf is a time in milliseconds; what is none is the zero time, which no host takes.
func timeOf(ms float64) time.Time {
	if !(math.Abs(ms) < 1e15) {
		return time.Time{}
	}
	whole, part := math.Modf(ms)
	return time.UnixMilli(int64(whole)).Add(time.Duration(part * float64(time.Millisecond)))
}

func address[T any](p *T) uint32 { return uint32(uintptr(unsafe.Pointer(p))) }

//go:wasmexport tactus_abi
func abiNumber() int32 { return abi }

//go:wasmexport tactus_room
func room(n int32) uint32 {
	if n < 0 || n > maxRoom {
		return 0
	}
	if int(n) > len(module.room) || module.room == nil {
		module.room = append(module.room, make([]byte, max(int(n), 4096)-len(module.room))...)
	}
	return address(unsafe.SliceData(module.room))
}

//go:wasmexport tactus_text
func text() int32 { return int32(module.text) }

//go:wasmexport tactus_lines
func lines() int32 {
	var c host.Config
	if module.game.Config != nil {
		c = module.game.Config()
	}
	say(strings.Join(host.Lines(module.protocol, c.Book), "\n"))
	return text()
}

//go:wasmexport tactus_failed
func failed() int32 { return int32(module.failed) }

//go:wasmexport tactus_open
func open(now float64, server, token, login int32, who float64, flags int32) int32 {
	n, err := add(timeOf(now), server, token, login, who, flags)
	module.failed = host.ReasonOf(err)
	told(err)
	return n
}

// add makes one more host.
func add(now time.Time, server, token, login int32, who float64, flags int32) (int32, error) {
	n := 0
	for ; n < maxHosts && module.hosts[n] != nil; n++ {
	}
	if n == maxHosts {
		return 0, errors.New("wasm: too many hosts in one module: free those that have ended, or make another module")
	}
	name, err := given(0, server)
	if err != nil {
		return 0, err
	}
	var c host.Config
	if module.game.Config != nil {
		c = module.game.Config()
	}
	c.Machine, c.Partial = time.Now(), flags&1 != 0
	c.Client.InsecureAllowAnyAddress = c.Client.InsecureAllowAnyAddress || flags&2 != 0
	if who >= 1 && who < 1<<53 {
		c.Client.ClientID = uint64(who)
	}
	if token > 0 {
		b, err := given(server, token)
		if err != nil {
			return 0, err
		}
		if c.Client.Token, err = netcode.ParseToken(b); err != nil {
			return 0, err
		}
	}
	if login >= 0 {
		b, err := given(server+max(token, 0), login)
		if err != nil {
			return 0, err
		}
		c.Login = append([]byte{}, b...)
	}
	p := &player{out: make([]byte, 8, 8+maxOut*(4+netsys.MaxDatagram))}
	if p.wire, err = host.NewWire(host.WireConfig{Server: host.ServerOf(string(name)), Out: p.send}); err != nil {
		return 0, err
	}
	if p.Host, err = host.New(module.protocol, p.wire, p.wire.RemoteAddr(), now, c); err != nil {
		return 0, err
	}
	module.hosts[n] = p
	return int32(n + 1), nil
}

// send makes a datagram wait for the socket.
func (p *player) send(b []byte) error {
	filled := (len(b) + 3) &^ 3
	if len(p.out)+4+filled > cap(p.out) {
		return netsys.ErrFull
	}
	head := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(p.out))), 2)
	n := len(b)
	p.out = append(append(p.out, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), b...)
	p.out = p.out[:len(p.out)+filled-n]
	head[0]++
	head[1] = uint32(len(p.out))
	return nil
}

//go:wasmexport tactus_push
func push(h int32, now float64, n int32) int32 {
	p := of(h)
	if p == nil {
		return 0
	}
	b, err := given(0, n)
	if err == nil {
		err = p.wire.Push(timeOf(now), b)
	}
	return okay(told(err))
}

//go:wasmexport tactus_input
func input(h, n int32) int32 {
	p := of(h)
	if p == nil {
		return 0
	}
	b, err := given(0, n)
	if err == nil {
		err = p.SetInput(b)
	}
	return okay(told(err))
}

//go:wasmexport tactus_advance
func advance(h int32, now float64) int32 {
	p := of(h)
	if p == nil {
		return -1
	}
	ticks, err := p.Advance(timeOf(now))
	if !told(err) {
		return -1
	}
	return int32(ticks)
}

//go:wasmexport tactus_send
func send(h, what, which, n int32) int32 {
	p := of(h)
	if p == nil {
		return 0
	}
	b, err := given(0, n)
	switch {
	case err != nil:
	case what == 0:
		err = p.Send(int(which), b)
	case what == 1:
		err = p.Raise(int(which), b)
	case what == 2:
		err = p.Command(int(which), b)
	default:
		err = errors.New("wasm: tactus_send takes 0 for a message, 1 for an event, 2 for a command")
	}
	return okay(told(err))
}

//go:wasmexport tactus_out
func out(h int32) uint32 {
	if p := of(h); p != nil {
		return address(unsafe.SliceData(p.out))
	}
	return 0
}

//go:wasmexport tactus_sent
func sent(h int32) {
	if p := of(h); p != nil {
		clear(p.out[:8])
		p.out = p.out[:8]
	}
}

//go:wasmexport tactus_end
func end(h int32) int32 {
	p := of(h)
	if p == nil {
		return -1
	}
	reason, why := p.End()
	say(why)
	return int32(reason)
}

//go:wasmexport tactus_close
func closes(h int32) {
	if p := of(h); p != nil {
		told(p.Close())
	}
}

//go:wasmexport tactus_free
func free(h int32) {
	if p := of(h); p != nil {
		told(p.Close())
		module.hosts[h-1] = nil
	}
}

func okay(ok bool) int32 {
	if ok {
		return 1
	}
	return 0
}
