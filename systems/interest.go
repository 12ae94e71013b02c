package systems

import "github.com/tactusgo/tactus/systems/internal/interest"

// Interest selects the entities that clients may see: a *[Grid], or the result of [Same], [Filter], [Has], [And], [Or] or
// [HiddenUnless]. It says yes or no to an entity, or decides nothing: a Grid decides nothing about entities without a position.
// An entity about which no operand decides is visible to all clients; [HiddenUnless] hides it.
type Interest = interest.Interest

// Grid is the [Interest] in entities near one of the client's own entities. T is a position component: its fields
// X, Y and, if present, Z, or those tagged axis x, axis y and axis z. Pass a pointer to a Grid, and keep it while
// the server runs.
//
//	Cell   float64  // above 0; changes only the time that this takes: a good start is two thirds of Radius
//	Radius float64  // above 0: an entity within it of an own entity becomes visible
//	Leave  float64  // an entity farther than it from all own entities is hidden; 0: 1.2 times Radius
//	Eyes   Interest // nil: the client's own entities; else a Same
//
// Lengths are in units of T. Cell is the length of the cells by which the server finds near entities.
//
// If Eyes is a [Same], the client also sees what is near any entity with the same component value as one of its
// own: Eyes: Same[Team]() is team vision. Entities with the component but without an owner, such as wards, count as
// eyes. Each client is compared with all eyes of its team, so give the component to few entities of a team.
//
// A client whose entities no longer have a T sees from the last position of the last of them. A client that never
// had one sees only entities without T.
type Grid[T any] = interest.Grid[T]

// Priority returns how much an entity matters to a client whose budget does not hold all changes, above 0. An entity with half the
// priority is sent about half as often while the budget is exceeded. [ByDistance] and [ByComponent] return one, and [Priorities]
// multiplies several.
type Priority = interest.Priority

// ByDistance returns the [Priority] of entities near one of the client's own entities: 1 within full, in units of T, and beyond it
// full divided by the distance. T is a position component as for [Grid]; ByDistance panics if it has no coordinates, or if full is
// not above 0. Entities without T have priority 1, and so does everything for a client that owns no entity with T.
//
// The places of the clients are found once per tick. [Priority] has the cost.
func ByDistance[T any](full float64) Priority { return interest.ByDistance[T](full) }

// ByComponent returns the [Priority] that is share for entities with the component T, and 1 for all others. It panics if share is
// not above 0.
func ByComponent[T any](share float64) Priority { return interest.ByComponent[T](share) }

// Priorities returns the product of some priorities.
func Priorities(all ...Priority) Priority { return interest.Priorities(all...) }

// Same returns the [Interest] in entities with the same value of component T as one of the client's own entities: for
// example the same room or team. It decides nothing about entities without T. A client whose entities no longer
// have a T keeps the last values. A client that never had one sees only entities without T.
func Same[T comparable]() Interest { return interest.Same[T]() }

// Filter returns an [Interest] by a function of the game. Me and It are row structs of pointers to components, as for
// ecs.Each, or of their values, and ecs.Entity; pointers tagged ecs:"optional" are nil if the component is missing.
// ask receives an entity of the client as me and another entity as it, and reports whether the client may see it.
// If several entities of the client match Me, one yes suffices; if none does, the answer is no. Filter decides
// nothing about entities that do not match It. A field of type [Viewer] in Me is the number of the client. A Me
// that needs no component is also asked for clients that own nothing.
//
// The answer must depend only on the rows. It is remembered, and ask is called again only if the bytes of a
// component of me or it have changed since the previous send. ask must change nothing. With ServerConfig.Workers
// above 1, several goroutines call it.
//
// Combined with a Grid or a Same by [And], the filter is asked only about entities that these let pass.
func Filter[Me, It any](ask func(me Me, it It) bool) Interest { return interest.Filter(ask) }

// Viewer is the number of a client, a uint32, as a field of the Me of a [Filter]: struct{ Client systems.Viewer }.
type Viewer = interest.Viewer

// ComponentInterest selects the clients that may see a component: see [Only].
type ComponentInterest = interest.Component

// Only returns the [ComponentInterest] that shows component T of an entity only to clients to which of shows the entity,
// among those that see the entity: Only[Timer](Same[Team]()). Other clients receive the entity without T, and
// cannot tell whether it has one. When a client may no longer see T, T is removed from its entity; when it may, T
// is added. The owner always sees it. If of decides nothing, T is shown.
//
// Components with the same interest, such as the same variable, are shown and hidden together. At most four
// different interests are allowed. Each entity is captured with and without the components: twice if it has
// components of one interest, four times for two, and so on.
func Only[T any](of Interest) ComponentInterest { return interest.Only[T](of) }

// And returns the [Interest] in entities to which no operand says no. It needs at least one operand.
func And(of ...Interest) Interest { return interest.And(of...) }

// Or returns the [Interest] in entities to which at least one operand says yes. It needs at least one operand.
func Or(of ...Interest) Interest { return interest.Or(of...) }

// HiddenUnless returns the [Interest] in entities to which at least one operand says yes. It needs at least one operand. It
// hides every other entity, including those about which no operand decides. Only singletons (ecs.Singleton) about which no
// operand decides stay visible:
//
//	Interest: systems.HiddenUnless(&systems.Grid[Place]{Cell: 100, Radius: 150}, systems.Has[Score]())
//
// shows each client its own entities, near entities, and entities with a Score.
func HiddenUnless(of ...Interest) Interest { return interest.HiddenUnless(of...) }

// Has returns the [Interest] in entities with component T, whatever its value. It decides nothing about other entities.
func Has[T any]() Interest { return interest.Has[T]() }
