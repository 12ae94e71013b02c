// Package bind generates bindings that let other languages read and write the memory of a host's client: for TypeScript,
// NAME.mjs with a strict NAME.d.mts; for C, with Config.Header, NAME.h. Call it from the game's own go generate:
//
//			//go:generate go run .
//			func main() {
//				if err := bind.Write(bind.Config{Folder: ".", Name: "arena", Protocol: game.Protocol(), Book: book}); err != nil {
//					log.Fatal(err)
//				}
//			}
//
//	  - Write bindings: [Write], with a [Config].
//	  - Detect stale bindings in a test: [Check].
//	  - Give names to the values of enums, flags and buttons: [Enum], [Value].
//	  - Find out which types cannot be bound, and how to change them: [ErrBind].
//
// # Guarantees
//
//   - The same protocol gives the same bytes. Commit the files, and call [Check] in a test.
//   - Bindings contain the hash of the protocol and host.Lines. Both connect of the JavaScript package and NAME_check in C
//     reject a module with another protocol or another memory layout. Their error quotes the first line that differs.
//   - Fields with the tag "-" are missing, because a view does not replicate their values.
//   - Components without fields have no column and no binding.
//   - JavaScript creates its objects once. Later reads and writes create garbage only for changed texts, for bigints, and
//     for the Float32Array of a column that moved. Bigints represent 64-bit numbers that a float64 cannot hold.
//   - Pointers into columns in C are pinned. They are valid until the next call of the host.
package bind
