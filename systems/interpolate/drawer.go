package interpolate

import (
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// drawer writes entities of the world into the view.
type drawer struct {
	protocol    *ecs.Protocol
	world, view *ecs.World
	now         func() time.Time
	frame       time.Time     // time of the frame that the view shows
	before      time.Time     // time of the previous frame
	setBack     time.Duration // total time by which the clock was set back
	moving      []moving      // replicated components that are interpolated
	offsets     int           // total number of offsets of these components
	smoothing   Smoothing
	errors      law // of corrections
	blends      law
	kept        []keptPose
	carried     carried
	recordReader
}

// moving is an interpolated component.
type moving struct {
	*ecs.Component
	bit   uint64 // bit of the component in masks
	start int    // first of its offsets among those of all components
	end   int
}

func newDrawer(world, view *ecs.World, p *ecs.Protocol, smoothing Smoothing, now func() time.Time) drawer {
	d := drawer{protocol: p, world: world, view: view, now: now, smoothing: smoothing,
		errors: smoothing, blends: linear((blendTicks * world.StepDuration()).Seconds()), carried: newCarried(p), recordReader: newRecordReader(p)}
	for _, comp := range d.comps {
		if comp.Words > 0 && comp.Mode&ecs.Interpolated != 0 {
			n := comp.Schema.Offsets()
			d.moving = append(d.moving, moving{comp, 1 << comp.Replicated(), d.offsets, d.offsets + n})
			d.offsets += n
		}
	}
	return d
}

// wordsOf returns the size of a component's value in 64-bit words.
func wordsOf(comp *ecs.Component) int { return int(comp.Schema.Size+7) / 8 }

// startFrame starts a frame.
func (d *drawer) startFrame(now time.Time) {
	now = now.Add(d.setBack)
	if back := d.frame.Sub(now); back > 0 {
		now, d.setBack = d.frame, d.setBack+back
	}
	d.before, d.frame = d.frame, now
	d.carried.frame++
}

// time returns the time on which smoothing and blending depend. It goes on from the previous frame if the clock was set back.
func (d *drawer) time() time.Time {
	if t := d.now().Add(d.setBack); t.After(d.frame) {
		return t
	}
	return d.frame
}

// jumpsOf returns the teleport count of an entity.
func (d *drawer) jumpsOf(w *ecs.World, e ecs.Entity) uint8 {
	if d.jumps == nil || e.IsZero() {
		return 0
	}
	if p := w.Netcode().Pointer(e, d.jumps); p != nil {
		return (*components.Teleports)(p).Count
	}
	return 0
}

// hide removes an entity from the view.
func (d *drawer) hide(id uint32, f *figure) {
	if !f.entity.IsZero() {
		d.view.Netcode().Discard(components.NetID(id))
		f.entity, f.ahead = ecs.Entity{}, 0
		f.dropFades()
	}
}

// show adds the entity with the given components to the view if it is missing or different.
func (d *drawer) show(id uint32, f *figure, mask uint64, simulated bool) {
	if f.entity.IsZero() || d.view.Netcode().Mask(f.entity) != mask || ecs.Has[components.Predicted](d.view, f.entity) != simulated {
		if len(d.carried.components) > 0 {
			d.noteUncarried(f, mask)
		}
		f.entity = d.view.Netcode().Replica(components.NetID(id), mask, simulated)
	}
}

// drawWorld draws an entity as it is in the client's world. simulated reports whether this client simulates it.
func (d *drawer) drawWorld(id uint32, f *figure, e ecs.Entity, simulated bool) {
	if key := ecs.Get[ecs.SpawnKey](d.world, e); key != nil && f.entity.IsZero() {
		if _, drawn := d.view.Netcode().Spawned(*key); drawn {
			f.entity, _ = d.view.Netcode().Confirm(*key, components.NetID(id), true)
		}
	}
	f.checkJump(d.jumpsOf(d.view, f.entity), d.jumpsOf(d.world, e))
	d.show(id, f, d.world.Netcode().Mask(e), simulated)
	d.copy(f.entity, e, ^uint64(0))
	d.drawFades(f)
}

// drawSpawns draws predicted spawns from the tick of their input on. A spawn keeps its handle in the view when the
// server confirms it.
func (d *drawer) drawSpawns() {
	d.view.Netcode().SettleInput(math.MaxUint32) // confirmed spawns no longer need this
	d.view.Netcode().BeginReplay(0)
	for t := range d.world.Netcode().Simulated {
		if t.NetIDs != nil {
			continue
		}
		for _, e := range t.Entities {
			key := ecs.Get[ecs.SpawnKey](d.world, e)
			d.copy(d.view.Netcode().PlacePredicted(*key, t.Mask), e, ^uint64(0))
		}
	}
	d.view.Netcode().EndReplay()
}

// copy copies components of an entity to an entity of the view.
func (d *drawer) copy(drawn, e ecs.Entity, mask uint64) {
	for _, comp := range d.comps {
		src := d.world.Netcode().Pointer(e, comp)
		if comp.Words == 0 || src == nil || mask&(1<<comp.Replicated()) == 0 {
			continue
		}
		copyValue(d.view.Netcode().Pointer(drawn, comp), src, comp)
	}
}

// copyValue copies one value of a component.
func copyValue(dst, src unsafe.Pointer, comp *ecs.Component) {
	n := comp.Schema.Size
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}
