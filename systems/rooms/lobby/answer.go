package lobby

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/internal/asks"
)

// refusals are what answers are refused with, by name.
var refusals = map[string]error{
	"full": rooms.ErrFull, "locked": rooms.ErrLocked, "banned": rooms.ErrBanned, "seated": rooms.ErrSeated, "no_seat": rooms.ErrNoSeat,
	"ended": rooms.ErrEnded, "draining": rooms.ErrDraining, "stuck": rooms.ErrStuck, "rooms": rooms.ErrRooms, "room": rooms.ErrRoom,
	"kind": rooms.ErrKind, "schema": rooms.ErrSchema, "options": rooms.ErrOptions, "player": rooms.ErrPlayer,
	"orphaned": rooms.ErrOrphaned, "owned": rooms.ErrOwned, "conflict": rooms.ErrConflict,
}

// refused is the error of an answer.
func refused(a *asks.Answer) error {
	if err := refusals[a.Refused]; err != nil {
		return fmt.Errorf("%w, says the process: %q", err, a.Why)
	}
	if a.Refused == asks.OldEpoch {
		return &rooms.Unavailable{Again: time.Second, Err: errOld}
	}
	return &rooms.Unavailable{Again: time.Second, Err: fmt.Errorf("lobby: refused, %.20q: %q", a.Refused, a.Why)}
}

// admissions are what an answer says, with tokens.
func (l *asker) admissions(process string, a *asks.Answers, i int, asked *asks.Ask) ([]rooms.Admission, error) {
	got := &a.Answers[i]
	if got.Refused != "" {
		return nil, refused(got)
	}
	var ends rooms.Endpoints
	if json.Unmarshal(a.Endpoints, &ends) != nil || ends.Validate() != nil {
		ends = rooms.Endpoints{}
	}
	issued, lifetime := time.Unix(got.Issued, 0), time.Duration(got.Expires-got.Issued)*time.Second
	var all []rooms.Admission
	for n, p := range asked.Players {
		s := got.Seats[n]
		x := rooms.Admission{
			Kind: got.Kind, Schema: got.Schema, Code: got.Code, Process: process, Expires: time.Unix(got.Expires, 0), Addresses: a.Addresses, Endpoints: ends,
			Seat: rooms.Seat{Room: rooms.ID(got.Room), Number: s.Number, Epoch: s.Epoch, Player: p.ID, Party: s.Party, Data: p.Data},
		}
		if err := x.Issue(l.config.Key, l.config.ProtocolID, lifetime, issued, l.config.Random); err != nil {
			return nil, &rooms.Unavailable{Again: time.Second, Err: err}
		}
		all = append(all, x)
	}
	return all, nil
}
