package systems

import "github.com/tactusgo/tactus/systems/internal/interest"

// Interest is what clients may know of, as data: a *[Grid], or what [Same], [Filter], [Has], [And],
// [Or] and [HiddenUnless] return. It may say yes or no of an entity, or nothing: a Grid says nothing of
// entities without a place. Entities that no operand says anything of are visible to all clients;
// [HiddenUnless] hides them.
type Interest = interest.Interest

// Grid is the [Interest] in what is near an entity of the client's own, by the component T, a
// place: its fields X, Y and, where there is one, Z, or those tagged axis x, axis y and axis z.
// Give a pointer to one, for as long as the server runs.
//
// Cell is the length of a cell, in units of T. Entities in a cell that have the same components
// are one piece: it is encoded once for all clients that know the same of it, and a client sees
// the whole of it or nothing. Cells of two thirds of Radius are a good start; with smaller ones
// there are more pieces in a snapshot, with larger ones more that is not near. An entity keeps
// its cell until it is an eighth of its length beyond the border, so that one that walks along a
// border does not change pieces.
//
// A piece comes into sight when the box around its entities is no farther than Radius from an
// entity of the client's own, and goes out of sight when it is farther than Leave, in the same
// units: what is within Radius is seen, and nothing beyond Leave and one and a quarter times the
// diagonal of a cell. Leave 0 is 1.2 times Radius. What walks into a piece that is out of sight
// goes out of sight with it.
//
// With Eyes, which is a [Same], the client also sees what is near any entity that has the same
// component value as one of its own: Eyes: Same[Team]() is team vision. Entities with the component
// but without an owner, such as wards, are eyes too. Each client is compared with all eyes of its
// team, so give the component to few entities of a team.
//
// A client none of whose entities has a T any more sees from where the last of them was; one that
// never had any sees only what has no T.
type Grid[T any] = interest.Grid[T]

// Priority is how much entities matter to a client where its budget does not hold all there is to tell, as data: a
// [ByDistance], or what [ByComponent] returns. What matters half as much is told half as often while there is no room
// for more. Shares are those of five classes: all, a half, a quarter, an eighth and a sixteenth; where several
// priorities say something of an entity, their shares are multiplied. It goes by pieces of up to 64 entities with the
// same components, which all clients for whom they are in a class are told of at the same send where they can be, so
// that these share what is encoded.
type Priority = interest.Priority

// ByDistance is the [Priority] of what is near an entity of the client's own, by the component T, a place as for
// [Grid]: all within Full, a half within Half, a quarter within Quarter, an eighth beyond, in units of T. Half 0 is
// twice Full, and Quarter 0 twice Half. What has no T matters all, and so does everything to a client that never had
// an entity with one.
//
// Entities share pieces as with a Grid of T: by the cells of that one where Interest has it, else by cells of length
// Cell; Cell 0 is Full. A world in many cells has many pieces, each at some four bytes where it is told.
//
// For 100 clients that stand in 100 places, 500 entities that jump across 16 cells at each send and a budget of 1,200
// bytes, snapshots cost 4 times as much as without, since who stands elsewhere is told of other pieces (with Priority 12
// times), and allocate twice as often, for what jumps (BenchmarkPriority in systems/snapshot).
//
// While the server is overloaded, what is beyond Full is far; see [Overload].
type ByDistance[T any] = interest.ByDistance[T]

// ByComponent is the [Priority] of entities that have the component T, which is replicated: a share above 0, up to 1,
// of what others matter, rounded to that of the nearest class. To make something matter more, give the others less.
// It costs nothing (BenchmarkPriority in systems/snapshot): pieces are of the same components anyway.
func ByComponent[T any](share float64) Priority { return interest.ByComponent[T](share) }

// Same is the [Interest] in what has the same component T as an entity of the client's own: the
// same room, say, or team. It says nothing of what has no T. A client none of whose entities has
// one any more keeps the values that the last of them had; one that never had any sees only what
// has no T.
func Same[T comparable]() Interest { return interest.Same[T]() }

// Filter is an [Interest] of the game's own. Me and It are row structs of pointers to components,
// as for ecs.Each, or of their values, and ecs.Entity; pointers tagged ecs:"optional" are nil
// where the component is missing. ask is given an entity of the client's own as me, and another
// one as it, and says whether the client may know of that; where several entities of the client
// are Me, one yes is enough, and where none is, it does not. It says nothing of what is no It.
// A field of type [Viewer] of Me is the number of the client. A Me that needs no component is asked
// about clients that own nothing, too.
//
// The answer depends on what the rows have, and on nothing else: it is remembered, and asked for
// again only where the bytes of a component that me or it has are others than at the send before.
// ask must change nothing, and with ServerConfig.Workers above 1 several goroutines call it.
//
// What a filter lets a client see is put together and encoded for that client alone. Where a Grid
// or Same can say it, that is cheaper by far; combined with one by [And], only what that lets pass
// is asked about.
func Filter[Me, It any](ask func(me Me, it It) bool) Interest { return interest.Filter(ask) }

// Viewer is the number of a client, as a field of the Me of a [Filter].
type Viewer = interest.Viewer

// ComponentInterest is who may know a component: see [Only].
type ComponentInterest = interest.Component

// Only is the [ComponentInterest] that the component T of an entity is told to those clients alone whom of lets see it,
// of those that know of the entity: Only[Timer](Same[Team]()). Others get the entity without it, and no sign of whether
// it has one. Where they may no longer know it, it is taken from their entity; where they come to know it, it is added.
// Its owner always knows it. What of says nothing of is told.
//
// Components with the same interest, such as the same variable, are told and kept back together; there may be four
// different ones. Each entity is captured with and without: twice where it has components of one interest, four times
// where of two, and so on. Clients to whom the same is told share what is encoded. With any of them a [Grid] goes by
// cells, and not by the box around what is in one, so that some more is near. Where it goes by T itself, blocks without
// T are each client's own.
func Only[T any](of Interest) ComponentInterest { return interest.Only[T](of) }

// And is the [Interest] in what none of its operands, at least one, says no of.
func And(of ...Interest) Interest { return interest.And(of...) }

// Or is the [Interest] in what one of its operands, at least one, says yes of.
func Or(of ...Interest) Interest { return interest.Or(of...) }

// HiddenUnless is the [Interest] in what one of its operands, at least one, says yes of. It hides every
// other entity, also those that no operand says anything of:
//
//	Interest: systems.HiddenUnless(&systems.Grid[Place]{Cell: 100, Radius: 150}, systems.Has[Score]())
//
// shows each client what is near, entities with a Score, and nothing else but its own entities.
func HiddenUnless(of ...Interest) Interest { return interest.HiddenUnless(of...) }

// Has is the [Interest] in entities that have the component T, whatever its value. It says nothing of other
// entities.
func Has[T any]() Interest { return interest.Has[T]() }
