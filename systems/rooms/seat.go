package rooms

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// A seat as the user data of a connect token, little-endian, padded with zeros:
//
//	"TR" │ version u8 │ room u64 │ number u16 │ epoch u32 │ player u64 │ party u64 │ length u8 │ data
const (
	seatMark    = "TR"
	seatVersion = 1
	seatHead    = len(seatMark) + 1 + 8 + 2 + 4 + 8 + 8 + 1

	// MaxData is the longest [Player.Data] in bytes.
	MaxData = netcode.UserDataSize - seatHead
)

// Seat is a place in a room. Connect tokens contain it encrypted: only servers can read it.
type Seat struct {
	// Room is the id of the room, never 0.
	Room ID
	// Number is the number of the seat in that room, from 0. Spectators have numbers from [Kind].Capacity.
	Number uint16
	// Epoch counts the tokens of this seat. Only the newest token admits its player.
	Epoch uint32
	// Player is the [Player].ID, never 0.
	Player uint64
	// Party is the [Player].Party, 0 for none.
	Party uint64
	// Data is the [Player].Data.
	Data []byte
}

// ErrSeat is wrapped by the errors of [ParseSeat].
var ErrSeat = errors.New("rooms: the token names no seat")

// Append appends the seat as the user data of a token. It panics if Data is longer than [MaxData].
func (s Seat) Append(dst []byte) []byte {
	if len(s.Data) > MaxData {
		panic(fmt.Sprintf("rooms: Seat.Data has %d bytes; a token has room for %d", len(s.Data), MaxData))
	}
	dst = append(append(dst, seatMark...), seatVersion)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.Room))
	dst = binary.LittleEndian.AppendUint16(dst, s.Number)
	dst = binary.LittleEndian.AppendUint32(dst, s.Epoch)
	dst = binary.LittleEndian.AppendUint64(dst, s.Player)
	dst = binary.LittleEndian.AppendUint64(dst, s.Party)
	return append(append(dst, uint8(len(s.Data))), s.Data...)
}

// ParseSeat parses the result of [Seat.Append], with or without trailing zeros. Data aliases b. The error wraps [ErrSeat].
func ParseSeat(b []byte) (Seat, error) {
	if len(b) < seatHead || len(b) > netcode.UserDataSize || string(b[:2]) != seatMark || b[2] != seatVersion {
		return Seat{}, fmt.Errorf("%w: it has no seat of this version", ErrSeat)
	}
	n := int(b[seatHead-1])
	if n > MaxData || seatHead+n > len(b) {
		return Seat{}, fmt.Errorf("%w: data of %d bytes", ErrSeat, n)
	}
	for _, x := range b[seatHead+n:] {
		if x != 0 {
			return Seat{}, fmt.Errorf("%w: something follows it", ErrSeat)
		}
	}
	s := Seat{
		Room:   ID(binary.LittleEndian.Uint64(b[3:])),
		Number: binary.LittleEndian.Uint16(b[11:]),
		Epoch:  binary.LittleEndian.Uint32(b[13:]),
		Player: binary.LittleEndian.Uint64(b[17:]),
		Party:  binary.LittleEndian.Uint64(b[25:]),
	}
	if n > 0 {
		s.Data = b[seatHead : seatHead+n]
	}
	if s.Room == 0 || s.Player == 0 {
		return Seat{}, fmt.Errorf("%w: room %d, player %d", ErrSeat, s.Room, s.Player)
	}
	return s, nil
}

// SeatOf returns the seat of a session, for ServerConfig.Players.Login of a kind and for hooks. It returns false if the session's
// token contains no seat.
func SeatOf(s netsys.Session) (Seat, bool) {
	seat, err := ParseSeat(s.UserData())
	return seat, err == nil
}
