package rooms

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// A save of a room begins with a mark that has the version of the format. The id of the key follows, then the MAC of the room's id,
// the key's id and the frame, then the frame of package codec/compression. The frame contains:
//
//	length u32 │ JSON of savedRoom │ the save of systems.Server
//
// Version 1 has no id of the key.
const (
	savedMark  = "tactus room save\x02"
	savedMark1 = "tactus room save\x01"
	keyIDSize  = 8
)

const (
	savedHead  = len(savedMark) + keyIDSize + sha256.Size
	savedHead1 = len(savedMark1) + sha256.Size
)

// Errors of saves. A room with such a save is not continued: the save stays, and players are told to try again later.
var (
	// ErrSave: this process cannot use the save of the room: it is damaged, of another key, fleet or game, or the world of this
	// version of the game could not contain all of it. See [Config].Store.
	ErrSave = errors.New("rooms: the save of the room cannot be used")
	// ErrSaveKey: the save was stored under another key. It wraps ErrSave.
	ErrSaveKey = fmt.Errorf("%w: it was saved under another key: set Config.Key to that of the process that has saved it, or add that key to Config.OldKeys", ErrSave)
	// ErrSaveFleet: the save was stored by another fleet. It wraps ErrSave.
	ErrSaveFleet = fmt.Errorf("%w: another fleet has saved it: give each fleet a store or a key of its own, or set Config.Fleet to the name of that fleet", ErrSave)
)

// savedRoom is a room between two ticks.
type savedRoom struct {
	RoomEntry
	Fleet  string     `json:"fleet,omitempty"` // see Config.Fleet
	Saved  time.Time  `json:"saved,omitzero"`  // when the room was captured
	Tick   uint32     `json:"tick"`
	Begun  bool       `json:"begun"`  // the state may be Locked although the match has begun
	Locked bool       `json:"locked"` // the state may be Draining although the room is locked
	Known  bool       `json:"known"`  // the directory of the fleet had the room
	Seats  []SeatInfo `json:"seats"`  // of players who have joined
	// world is the save of the systems.Server.
	world []byte
}

// savedMAC authenticates the save of a room under the key of the connect tokens. head is the id of the key, nothing in version 1.
func savedMAC(key netcode.Key, room ID, head, packed []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	_, _ = fmt.Fprintf(mac, "tactus: save of room %v\n", room)
	_, _ = mac.Write(head)
	_, _ = mac.Write(packed)
	return mac.Sum(nil)
}

// keyID returns the id of a key in saves, from which the key cannot be computed.
func keyID(key netcode.Key) []byte {
	mac := hmac.New(sha256.New, key[:])
	_, _ = mac.Write([]byte("tactus: id of the key of saves"))
	return mac.Sum(nil)[:keyIDSize]
}

// seal returns the save of a room.
func (x *savedRoom) seal(key netcode.Key) ([]byte, error) {
	head, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(head)+len(x.world)), uint32(len(head)))
	packed := compression.Compress(append(append(b, head...), x.world...))
	if savedHead+len(packed) > MaxSave {
		return nil, fmt.Errorf("rooms: the save has %d bytes, at most %d", savedHead+len(packed), MaxSave)
	}
	id := keyID(key)
	b = append(make([]byte, 0, savedHead+len(packed)), savedMark...)
	b = append(append(b, id...), savedMAC(key, x.ID, id, packed)...)
	return append(b, packed...), nil
}

// keys returns the keys under which saves are accepted.
func (c *Config) keys() []netcode.Key { return append([]netcode.Key{c.Key}, c.OldKeys...) }

// openSave reads what [savedRoom.seal] wrote under one of these keys. The error wraps ErrSave. b may be untrusted.
func openSave(keys []netcode.Key, room ID, b []byte) (*savedRoom, error) {
	packed, err := authenticate(keys, room, b)
	if err != nil {
		return nil, err
	}
	data, err := compression.Decompress(packed, MaxSave)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSave, err)
	}
	return parseSaved(room, data)
}

// authenticate returns the frame of a save that has the MAC of one of these keys.
func authenticate(keys []netcode.Key, room ID, b []byte) (packed []byte, err error) {
	switch {
	case len(b) >= savedHead && string(b[:len(savedMark)]) == savedMark:
		id := b[len(savedMark):][:keyIDSize]
		for _, key := range keys {
			if !bytes.Equal(id, keyID(key)) {
				continue
			}
			if packed = b[savedHead:]; hmac.Equal(b[savedHead-sha256.Size:savedHead], savedMAC(key, room, id, packed)) {
				return packed, nil
			}
			return nil, fmt.Errorf("%w: it is damaged, or was saved for another room", ErrSave)
		}
		return nil, ErrSaveKey
	case len(b) >= savedHead1 && string(b[:len(savedMark1)]) == savedMark1:
		for _, key := range keys {
			if packed = b[savedHead1:]; hmac.Equal(b[len(savedMark1):savedHead1], savedMAC(key, room, nil, packed)) {
				return packed, nil
			}
		}
		return nil, fmt.Errorf("%w (or it is damaged, or was saved for another room)", ErrSaveKey)
	}
	return nil, fmt.Errorf("%w: it is not the save of a room, or that of another version", ErrSave)
}

// parseSaved reads the contents of the frame of a save.
func parseSaved(room ID, data []byte) (*savedRoom, error) {
	if len(data) < 4 || uint64(len(data)-4) < uint64(binary.LittleEndian.Uint32(data)) {
		return nil, fmt.Errorf("%w: it is cut off", ErrSave)
	}
	n := 4 + int(binary.LittleEndian.Uint32(data))
	x := &savedRoom{world: data[n:]}
	err := json.Unmarshal(data[4:n], x)
	if err == nil {
		x.Options, err = x.Options.Clean()
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrSave, err)
	case x.ID != room || len(x.world) == 0 || len(x.Banned) > MaxBanned || len(x.Seats) > MaxCapacity:
		return nil, fmt.Errorf("%w: room %v with %d bytes of its world, %d bans and %d seats", ErrSave, x.ID, len(x.world), len(x.Banned), len(x.Seats))
	}
	return x, nil
}
