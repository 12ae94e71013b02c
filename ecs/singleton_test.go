package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

type score struct {
	Red, Blue int32 `net:"0..1000"`
}

func TestSingletonLivesFromTheStart(t *testing.T) {
	p := ecs.NewProtocol("single/1")
	ecs.Replicate[purse](p, 0)
	ecs.Singleton[score](p, 0)
	p.Authority("goal", func(w *ecs.World) {
		for _, r := range ecs.Each[struct{ Score *score }](w) {
			r.Score.Red++
		}
	})
	w := ecs.NewWorld(p, ecs.Config{})
	if got := ecs.Single[score](w); got != (score{}) {
		t.Errorf("a new world has the score %v", got)
	}
	w.Spawn(purse{})
	p.AuthorityStage().Run(w)
	if got := ecs.Single[score](w); got != (score{Red: 1}) {
		t.Errorf("after one goal the score is %v", got)
	}
	n := 0
	for range ecs.All[struct{ Score score }](w) {
		n++
	}
	if n != 1 {
		t.Errorf("%d entities have the score", n)
	}
}

func TestSingletonIsZeroUntilTheServerTells(t *testing.T) {
	p := ecs.NewProtocol("single/2")
	ecs.Singleton[score](p, 0)
	client := ecs.NewWorld(p, ecs.Config{Client: true})
	if got := ecs.Single[score](client); got != (score{}) {
		t.Errorf("a client without snapshots has the score %v", got)
	}
	c := ecs.ComponentOf[score](p)
	e := client.Netcode().Replica(1, 1<<c.Replicated(), false)
	*(*score)(client.Netcode().Pointer(e, c)) = score{Blue: 3}
	if got := ecs.Single[score](client); got != (score{Blue: 3}) {
		t.Errorf("the client reads %v", got)
	}
}

func TestSingletonRefusesOwnersAndStrangers(t *testing.T) {
	refused(t, func() { ecs.Singleton[score](ecs.NewProtocol("single/3"), ecs.Predicted) }, "no owner")
	p := ecs.NewProtocol("single/4")
	ecs.Replicate[score](p, 0)
	w := ecs.NewWorld(p, ecs.Config{})
	refused(t, func() { ecs.Single[score](w) }, "ecs.Singleton")
}
