package snake

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/examples/snake/game"
)

// show lets the scene see a snake for some frames, dead or alive.
func show(s *scene, a *actor, dead uint8, frames int) {
	for range frames {
		s.follow(a, &game.Snake{X: 10, Y: 10, Dead: dead}, 1.0/60)
	}
}

func newScene() (*scene, *actor) {
	a := &actor{client: 1}
	return &scene{stage: &stage.Stage{}, actors: map[components.NetID]*actor{7: a}}, a
}

// words counts the rings with a word in them.
func words(s *scene) (n int) {
	for _, r := range s.rings {
		if r.text != "" {
			n++
		}
	}
	return n
}

// A death that is withdrawn has faded the snake in part; then it is back, and the picture says so.
func TestWithdrawn(t *testing.T) {
	s, a := newScene()
	show(s, a, 0, 30)
	show(s, a, 5, 20)
	if a.fade == 0 || a.fade >= 0.6 || a.burst || words(s) > 0 {
		t.Errorf("provisional: %+v", *a)
	}
	show(s, a, 0, 30)
	if a.fade != 0 || a.grown != 1 || words(s) != 1 {
		t.Errorf("withdrawn: %+v, %d words", *a, words(s))
	}
}

// A death that is final bursts once, leaves nothing, and who comes back grows; whether the news or the
// picture of the death comes first.
func TestFinal(t *testing.T) {
	for _, early := range []bool{false, true} {
		s, a := newScene()
		show(s, a, 0, 30)
		if early {
			s.fallen(&game.Fallen{Who: 7})
			show(s, a, 0, 20)
		} else {
			show(s, a, 5, 20)
			s.fallen(&game.Fallen{Who: 7})
		}
		show(s, a, 5, 100)
		if a.fade != 1 || s.next != 1 {
			t.Errorf("early %v: %+v with %d rings", early, *a, s.next)
		}
		show(s, a, 0, 1)
		if a.grown > 0.5 || words(s) > 0 {
			t.Errorf("early %v: it came back as %+v, %d words", early, *a, words(s))
		}
	}
}
