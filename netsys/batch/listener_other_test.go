//go:build !linux

package batch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys/batch"
)

func TestUnsupported(t *testing.T) {
	_, err := batch.Listen("127.0.0.1:0")
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "eventloop") {
		t.Errorf("error %v", err)
	}
}
