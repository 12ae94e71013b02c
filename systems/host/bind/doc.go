// Package bind writes what other languages need to read and write the memory of a host's client: TypeScript bindings
// (NAME.mjs with a strict NAME.d.ts) and a C header (NAME.h). A game's own go generate calls it:
//
//		//go:generate go run .
//		func main() {
//			if err := bind.Write(bind.Config{Folder: ".", Name: "arena", Protocol: game.Protocol(), Book: book}); err != nil {
//				log.Fatal(err)
//			}
//		}
//
//	  - Write bindings: [Write]. What goes in: [Config].
//	  - Find out in a test that they are stale: [Check].
//	  - Give names to the values of enums, flags and buttons: [Enum], [Value].
//	  - Know what cannot be bound, and what to write instead: [ErrBind].
//
// # What holds
//
//   - The same protocol gives the same bytes: commit them, and let a test call [Check].
//   - Bindings know the hash of their protocol, and host.Lines. Those of another protocol, or of another layout in memory,
//     are refused with the first line that differs, of both: by connect of the JavaScript package, and by NAME_check in C.
//   - Fields that are not replicated (a tag of "-") are not there: their values mean nothing in a view.
//   - Components without fields have no column, and so no binding.
//   - JavaScript makes its objects once. After that reading and writing make no garbage, but for texts that changed, for
//     numbers of 64 bits that a float cannot hold, which are bigints, and for floats of a column that moved.
//   - Pointers of C into columns are pinned: they are good until the next call of the host, and not after it.
package bind
