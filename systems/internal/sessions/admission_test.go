package sessions

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// porter records the calls of an admission handler, and admits all players but number 13.
type porter struct{ told []string }

func (p *porter) note(format string, v ...any) { p.told = append(p.told, fmt.Sprintf(format, v...)) }

func (p *porter) Admit(s netsys.Session) error {
	if s.ClientID() == 13 {
		return errors.New("no seat")
	}
	p.note("admit %d", s.ClientID())
	return nil
}
func (p *porter) Entered(s netsys.Session, client uint32) {
	p.note("entered %d as %d", s.ClientID(), client)
}
func (p *porter) Left(s netsys.Session, client uint32, reason error, waits bool) {
	p.note("left %d as %d: %v, waits %v", s.ClientID(), client, reason, waits)
}
func (p *porter) Gone(player uint64, client uint32) { p.note("gone %d as %d", player, client) }

// An admission handler is called once for each event. A refused client does not reach the login. A player who does not
// return in time, or whose place another one needs, is gone.
func TestAdmission(t *testing.T) {
	p := &porter{}
	l := newLobby(1)
	l.config.Admission = p
	asked := 0
	login := l.Admit(func(netsys.Session, []byte) ([]byte, error) { asked++; return nil, nil })
	if _, err := login(&session{player: 13}, nil); err == nil || asked != 0 {
		t.Errorf("player 13: %v, asked %d times", err, asked)
	}
	if _, err := login(&session{player: 1}, nil); err != nil || asked != 1 {
		t.Errorf("player 1: %v, asked %d times", err, asked)
	}
	for player := range uint64(2) {
		c, _, _ := l.enter(t, player+1)
		l.Leave(c, netsys.ErrTimeout, 0)
	}
	l.now = l.now.Add(2 * time.Minute)
	l.Polled()
	c, _, _ := l.enter(t, 3)
	l.Leave(c, &netsys.CloseError{Remote: true}, 0)
	c, _, _ = l.Enter(&session{id: spectatorBit | 1, player: 4, spectator: true})
	l.Leave(c, netsys.ErrTimeout, 0)
	want := []string{
		"admit 1",
		"entered 1 as 1", "left 1 as 1: netsys: timed out, waits true",
		"entered 2 as 2", "left 2 as 2: netsys: timed out, waits true", "gone 1 as 1",
		"gone 2 as 2",
		"entered 3 as 3", "left 3 as 3: netsys: closed by the peer: left, waits false",
		"entered 4 as 2147483649", "left 4 as 2147483649: netsys: timed out, waits false",
	}
	if !slices.Equal(p.told, want) {
		t.Errorf("told:\n%q\nwant:\n%q", p.told, want)
	}
}
