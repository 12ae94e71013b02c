package rooms

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec/frame"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// savedMark begins the save of a room, with the version of the format. The MAC of the room's id and the frame follows, then the
// frame of package codec/frame. The frame contains:
//
//	length u32 │ JSON of savedRoom │ the save of systems.Server
const savedMark = "tactus room save\x01"

const savedHead = len(savedMark) + sha256.Size

// errSaved is wrapped by the errors of [openSave].
var errSaved = errors.New("rooms: the save of the room cannot be used")

// savedRoom is a room between two ticks.
type savedRoom struct {
	RoomEntry
	Tick   uint32     `json:"tick"`
	Begun  bool       `json:"begun"`  // a locked room may have begun, too
	Locked bool       `json:"locked"` // likewise, a draining one
	Known  bool       `json:"known"`  // the directory of the fleet had the room
	Seats  []SeatInfo `json:"seats"`  // of players who have joined
	// world is the save of the systems.Server.
	world []byte
}

// savedMAC authenticates the save of a room under the key of the connect tokens.
func savedMAC(key netcode.Key, room ID, packed []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	_, _ = fmt.Fprintf(mac, "tactus: save of room %v\n", room)
	_, _ = mac.Write(packed)
	return mac.Sum(nil)
}

// seal returns the save of a room.
func (x *savedRoom) seal(key netcode.Key) ([]byte, error) {
	head, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(head)+len(x.world)), uint32(len(head)))
	packed := frame.Compress(append(append(b, head...), x.world...))
	if savedHead+len(packed) > MaxSave {
		return nil, fmt.Errorf("rooms: the save has %d bytes, at most %d", savedHead+len(packed), MaxSave)
	}
	b = append(make([]byte, 0, savedHead+len(packed)), savedMark...)
	return append(append(b, savedMAC(key, x.ID, packed)...), packed...), nil
}

// openSave reads what [savedRoom.seal] wrote. The error wraps errSaved. b may be untrusted.
func openSave(key netcode.Key, room ID, b []byte) (*savedRoom, error) {
	if len(b) < savedHead || string(b[:len(savedMark)]) != savedMark {
		return nil, fmt.Errorf("%w: it is not the save of a room, or that of another version", errSaved)
	}
	packed := b[savedHead:]
	if !hmac.Equal(b[len(savedMark):savedHead], savedMAC(key, room, packed)) {
		return nil, fmt.Errorf("%w: it is damaged, or was saved for another room or under another Config.Key", errSaved)
	}
	data, err := frame.Decompress(packed, MaxSave)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSaved, err)
	}
	return parseSaved(room, data)
}

// parseSaved reads the contents of the frame of a save.
func parseSaved(room ID, data []byte) (*savedRoom, error) {
	if len(data) < 4 || uint64(len(data)-4) < uint64(binary.LittleEndian.Uint32(data)) {
		return nil, fmt.Errorf("%w: it is cut off", errSaved)
	}
	n := 4 + int(binary.LittleEndian.Uint32(data))
	x := &savedRoom{world: data[n:]}
	err := json.Unmarshal(data[4:n], x)
	if err == nil {
		x.Options, err = x.Options.Clean()
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errSaved, err)
	case x.ID != room || len(x.world) == 0 || len(x.Banned) > MaxBanned || len(x.Seats) > MaxCapacity:
		return nil, fmt.Errorf("%w: room %v with %d bytes of its world, %d bans and %d seats", errSaved, x.ID, len(x.world), len(x.Banned), len(x.Seats))
	}
	return x, nil
}
