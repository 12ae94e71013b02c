// Package lagcomp provides lag compensation: the server runs queries against the world as a player saw it when firing, so a
// shot hits the target that the player aimed at on the screen.
//
//	type Input struct {
//		Aim  float32 `net:"0..6.283 step 0.001 angle"`
//		Fire bool    `net:"edge"`
//		Seen lagcomp.Claim
//	}
//
// The server keeps earlier states with ServerConfig.LagComp = &lagcomp.Config{}. The client's input claims the moment that the
// view showed: in.Seen = client.Claim(in.Fire). The server queries that moment:
//
//	p.Authority("shoot", func(w *ecs.World) {
//		for _, s := range ecs.Each[shooter](w) {
//			if s.In.Fire {
//				view := lagcomp.As(w, s.Owner.Client, s.In.Seen)
//				for e, target := range lagcomp.All[target](view) {
//					…
//
// The example of systems.Client.Claim is a whole match.
//
// # Index of tasks
//
//   - Claim a moment: [Claim], systems.Client.Claim, [NewClaim]. In an input, a claim is an ordinary field. In your own
//     message, use [Claim.Append] and [ParseClaim].
//   - Get the world as a player saw it: [As]; [Compensator.AsAfter] for claims that did not come with an input. Run the same
//     function on a client, or against the server's present: [Of].
//   - Query a [View]: [All], [Get], [View.NetID], [View.ByNetID].
//   - Count rejected claims: [Compensator.Stats], [Compensator.StatsOf], [View.Clamp].
//   - Record the views of shooter and server: [Log], [Sight].
//   - Use it in a world without a server of package systems: [New], [Config], [Compensator.Record], [Compensator.Consume],
//     [Compensator.Acknowledge], [Compensator.Forget].
//
// # Contents of a view
//
// Entities of other players are where the client drew them: between two sent states, rounded as they were for sending, by the
// same field table and the same functions, schema.Table.Lerp and, with ecs.Hermite, Hermite. An entity that has been destroyed
// since is in the view. An entity that was spawned since is not. Components that are not interpolated have the value of the
// older state. The same holds for all components of an entity whose set of components changed between the two states, or that
// jumped (components.Teleports). Fields with the tag word hold do not slide. Fields that are sent as lines are within the
// tolerance of the field table, for the client and for the view alike.
//
// The player's own entities are at their predicted pose. The client made the input of a shot after it had predicted all earlier
// inputs. The server has consumed exactly these inputs when it is about to simulate the shot, so As reads own entities from the
// current world. A client aims before it moves. So shoot in a system of Simulate that runs before movement. If Authority
// decides, after movement, let an earlier system record the origin of the shot; otherwise the origin is off by one tick of
// movement.
//
// An entity that another one carries (ecs.Carry) follows its carrier as the player saw the carrier: between two states if the
// carrier belongs to others, and at the predicted pose if it belongs to the player.
//
// A view also contains components that are not replicated, and entities that were hidden from the player. If visibility
// matters, call the filter of ServerConfig.Snapshots.Interest. A hitscan usually needs no such check, because hidden entities can block a
// shot too.
//
// # Exactness
//
// If each snapshot fits into one datagram, the view equals the screen bit for bit, whatever was lost. Exceptions:
//
//   - A snapshot takes several datagrams, or the budget makes entities take turns. Then a client draws some entities between
//     other states than the claimed ones. At 200 ± 30 ms and 5 % loss, 4 of 590 shots into a crowd of 600 in two datagrams hit
//     another entity than on the screen, and 20 of 586 into a crowd of 200 with turns for 600 bytes.
//   - The player's own entities were corrected less than a quarter of a second ago. They are drawn with a visual error
//     (interpolate.Smoothing) that the server does not know. Take the origin of a shot from systems.Client.World, which has no
//     visual error, unless the player may be carried (ecs.Carry).
//   - A carried player is drawn on the carrier as the view shows the carrier. Take the origin of its shot from the view: [Get] of
//     the view and the player, on the server. In Simulate and in systems.Client.World the carrier is at another place.
//   - A component continues beyond the newest state, or is coming back from there: after a lost snapshot for up to two sends, with
//     ecs.Extrapolate for longer. The view contains only states.
//   - Others are damped (policy.Damped): they are still moving towards the claimed state, and about 5 % of the shots
//     have another result.
//   - An entity got another carrier, or lost it, less than 12 ticks ago (ecs.Carry): the view is still blending.
//   - An input applies later than it is gathered (policy.ServerRewind.Suggest). The shot starts where its player is by then,
//     on the server as on the client. For players who walk while they shoot this changed 8 % of the hits at 30 ms.
//   - A client simulates entities of other players. It draws them in the present, so query them with [Of].
//
// Without lag compensation more than half of the shots have another result.
//
// # Limits of a claim
//
// A claim comes from the client, so it only selects a past moment: not older than Config.MaxRewind, not newer than the states
// that the client acknowledged, and not older than the claim of an earlier tick, because playback never runs backwards. A claim
// outside is moved to the limit and counted. The two claimed states must have been sent, lie within the same limits, and have at
// most [MaxLost] snapshots between them. Otherwise the view uses the two neighbouring snapshots.
//
// # Cost
//
// Recording copies the columns of the world, once per wake-up for all players. A claim takes a few bytes of an input, see
// systems.Client.Claim. Creating a view reads the owners of the entities. A query rounds and blends both states of each entity
// that it visits: about 0.15 µs for a component of two fields, where a query of the present takes 0.01 µs. A thousand entities
// take 0.15 ms per shot. If you have a list of candidates, Get of these is cheaper than All.
package lagcomp
