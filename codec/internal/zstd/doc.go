// Package zstd compresses and decompresses single blocks of Zstandard (RFC 8878), without the
// headers that both sides know. Comments name the sections of the RFC.
//
//   - Decompress a block, which every client does: [Decoder], a tenth of the code of a library.
//   - Compress one, which servers do by such a library: [Encoder]. Programs for browsers have
//     it with the tag tactus_zstd only, as most of them are clients.
//   - Know beforehand what blocks have in common: [Dictionary], [BuildDictionary].
package zstd
