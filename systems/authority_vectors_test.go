package systems

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/tactusgo/tactus/codec"
)

// The bytes of changes and notices, as docs/wire-format.md has them.
func TestBytesOfChangesAndNotices(t *testing.T) {
	list := foreignComponents(canvas())
	c := newChangeCoder(list)
	c.begin(nil)
	c.change(300, 0, []int32{5, 2000})
	changes := append(c.end(0, 1), 0x09)
	n := notice{kind: noticeInput, tick: 300, input: 290, reason: "no magic"}
	notices := n.append(codec.AppendUvarint([]byte{kindNotices}, 7), nil, nil)
	n = notice{kind: noticeRevoked, tick: 301, id: 4}
	notices = n.append(notices, nil, nil)
	for want, got := range map[string][]byte{
		"0eac020a00fa0009":                         changes,
		"050700ac02a202086e6f206d6167696304ad0204": notices,
	} {
		if b, _ := hex.DecodeString(want); !bytes.Equal(b, got) {
			t.Errorf("%x, want %s", got, want)
		}
	}
}
