package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// answerer answers other processes' requests for seats in this process's rooms.
type answerer struct {
	fleet *Fleet

	mu    sync.Mutex
	epoch uint64 // claim under which requests are handled; 0: none
	stop  func()

	panics atomic.Uint64 // requests whose handling panicked
}

// update starts to handle requests under the current claim. Call it whenever the claim may have changed.
func (a *answerer) update() {
	a.mu.Lock()
	defer a.mu.Unlock()
	epoch := a.fleet.publisher.claim.current()
	if epoch == a.epoch {
		return
	}
	a.close()
	if epoch == 0 {
		return
	}
	stop, err := guardedDirectory{a.fleet.config.Directory, a.fleet}.Handle(requestAddress(a.fleet.view.own, epoch), func(ctx context.Context, request []byte) []byte {
		return a.answer(ctx, request, epoch)
	})
	if err == nil { // otherwise the next update retries
		a.epoch, a.stop = epoch, stop
	}
}

// close stops handling requests. The caller holds the lock.
func (a *answerer) close() {
	if a.stop != nil {
		a.stop()
	}
	a.epoch, a.stop = 0, nil
}

// answer answers a request to this process under a claim.
func (a *answerer) answer(ctx context.Context, request []byte, epoch uint64) []byte {
	b, err := json.Marshal(a.handle(ctx, request, epoch))
	if err != nil {
		return nil
	}
	return b
}

// errPanic refuses a request whose handling panicked.
var errPanic = errors.New("fleet: handling the request panicked: see the log of the process")

// guardedDirectory is a directory whose handlers may panic. The panic, which would end all rooms of the process, refuses the request
// alone.
type guardedDirectory struct {
	Directory
	fleet *Fleet
}

// Handle implements [Directory].
func (d guardedDirectory) Handle(address string, answer func(ctx context.Context, request []byte) []byte) (stop func(), err error) {
	return d.Directory.Handle(address, func(ctx context.Context, request []byte) (reply []byte) {
		defer func() {
			if v := recover(); v != nil {
				d.fleet.answers.panics.Add(1)
				d.fleet.config.Logger.Error("request of another process panicked", "panic", v, "stack", string(debug.Stack()))
				reply, _ = json.Marshal(refusal(errPanic))
			}
		}()
		return answer(ctx, request)
	})
}

// handle handles a request.
func (a *answerer) handle(ctx context.Context, request []byte, epoch uint64) seatReply {
	switch q, err := parseRequest(request); {
	case err != nil:
		return refusal(fmt.Errorf("%w: %w", rooms.ErrPlayer, err))
	case q.Epoch != epoch || a.fleet.publisher.claim.current() != epoch:
		return seatReply{Refused: refusedEpoch}
	default:
		return a.seats(ctx, &q)
	}
}

// refusal returns the reply for an error.
func refusal(err error) seatReply {
	reason := err.Error()
	return seatReply{Refused: refusalName(err), Reason: reason[:min(len(reason), maxReason)]}
}

// seats gives the requested seats.
func (a *answerer) seats(ctx context.Context, q *seatRequest) seatReply {
	give := a.fleet.give
	if q.Op == opHandOver {
		give = a.fleet.takeOver
	}
	all, err := give(ctx, q)
	if err == nil && len(all) < max(len(q.Players), 1) {
		err = fmt.Errorf("%w: %d seats for %d players", errMessage, len(all), len(q.Players))
	}
	if err != nil {
		return refusal(err)
	}
	c, first := &a.fleet.server, &all[0]
	reply := seatReply{
		Room: uint64(first.Seat.Room), Kind: first.Kind, Schema: first.Schema, Code: first.Code, Loaded: first.Loaded,
		Expires: first.Expires.Unix(), Issued: first.Expires.Add(-c.Promise).Unix(), Addresses: c.Addresses, Endpoints: c.Endpoints,
	}
	for _, x := range all[:len(q.Players)] {
		reply.Seats = append(reply.Seats, grantedSeat{Number: x.Seat.Number, Epoch: x.Seat.Epoch, Party: x.Seat.Party})
	}
	return reply
}

// give gives seats in this process's rooms.
func (f *Fleet) give(ctx context.Context, q *seatRequest) ([]rooms.Admission, error) {
	id := rooms.ID(q.Room)
	players := make([]rooms.Player, len(q.Players))
	for i, p := range q.Players {
		players[i] = rooms.Player(p)
	}
	if len(players) == 0 {
		return nil, fmt.Errorf("%w: nobody wants a seat", rooms.ErrPlayer)
	}
	if one := q.Op == opReconnect || q.Op == opSpectate; one && len(players) > 1 {
		return nil, fmt.Errorf("%w: %s is for one player, not %d", rooms.ErrPlayer, q.Op, len(players))
	}
	f.awaitClaim(ctx, id)
	if q.Claim && f.config.Here.Room(id) == nil {
		e, _, err := f.read(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case e.ID == 0: // the store may have been emptied, and the room's process may be writing the record again
			return nil, &rooms.Unavailable{Again: time.Second, Err: ErrAbsent}
		}
		if _, err := f.Claim(ctx, e); err != nil {
			return nil, err
		}
	}
	switch q.Op {
	case opJoin:
		return f.here.Join(ctx, rooms.Wish{Kind: q.Kind, Options: q.Options, Schema: q.Schema, Players: players, Leaves: rooms.ID(q.Leaves)})
	case opRenew:
		return f.here.Renew(ctx, rooms.Wish{Kind: q.Kind, Options: q.Options, Schema: q.Schema, Players: players}, q.Away)
	case opCreate:
		return f.here.Create(ctx, q.Kind, rooms.Creation{Options: q.Options, Private: q.Private, Schema: q.Schema}, players...)
	case opReserve:
		return f.here.Reserve(ctx, id, players...)
	case opReconnect:
		x, err := f.here.Reconnect(ctx, id, players[0])
		return []rooms.Admission{x}, err
	case opSpectate:
		x, err := f.here.Spectate(ctx, id, players[0])
		return []rooms.Admission{x}, err
	}
	return nil, fmt.Errorf("%w: unknown operation %.20q", rooms.ErrPlayer, q.Op)
}
