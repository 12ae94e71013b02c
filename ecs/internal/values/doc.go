// Package values knows the values that components consist of, by where they lie in memory: it
// hashes components that have no field table ([Type.Hash64]), says where two differ
// ([Type.Differs], [Type.Unequal]), and writes and reads what they hold ([Type.Append],
// [Type.Read]).
package values
