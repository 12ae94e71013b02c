// Package testgame has the games that the tests of the rooms below systems play. It stands on ecs and
// components alone, so that the tests of any room, and those of package systems, may import it; no
// product does. A test adds its own components, inputs and systems to one of them.
//
//   - [Stage]: entities that turn, and nothing that happens to them.
//   - [Plaza]: pawns walk where their owners' inputs say, and fire; [Grounds] is what they stand on, for a
//     test with other inputs or none.
//   - [Soldiers]: everybody simulates everything. Players walk and shoot, what they shoot flies and wounds,
//     and rocks come and go of themselves.
package testgame
