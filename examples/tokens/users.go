package main

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
)

const (
	// maxName and maxPassword are in bytes; a name must fit a token's user data.
	maxName, maxPassword = 32, 128
	// manyRounds of hashing take about a tenth of a second.
	manyRounds = 600_000
)

// user is an account.
type user struct {
	id     uint64 // never changes and is never reused
	name   string
	rounds int
	salt   string
	hash   string // hex of PBKDF2-HMAC-SHA256 of the password
}

// demoUsers stand for a database.
var demoUsers = []user{
	{1, "alice", manyRounds, "00260440d06676da", "356d93990c6628adda61cebb1721c6fee80431f2ca9aba93c4db1efb28a4282f"},
	{2, "bob", manyRounds, "cd0fb351194ac73a", "d804878e828586522f2f0ada2c8620a52e0de38769d526c5b9a0942b3b8c80a5"},
	{3, "carol", manyRounds, "7f9acadf327579ca", "e551985bed680151ef9d937e0e8f4c40b4b85448e7b65524e4bbc389a7efeb22"},
	{4, "dave", manyRounds, "278f96298fd5592f", "eda4db1944f623e68337ec5a271815211506d49757f5866193c27949d3f188bf"},
}

// find returns the user with a name and a password. It takes the same time for unknown names.
func find(users []user, name, password string) (user, bool) {
	u, ok := user{rounds: manyRounds}, 0
	for _, candidate := range users {
		if candidate.name == name {
			u, ok = candidate, 1
		}
	}
	want, err := hex.DecodeString(u.hash)
	if err != nil || len(want) != sha256.Size {
		want, ok = make([]byte, sha256.Size), 0
	}
	return u, ok&subtle.ConstantTimeCompare(hash(password, u.salt, u.rounds), want) == 1
}

func hash(password, salt string, rounds int) []byte {
	// Key fails only if the key is too short for the requested length.
	h, _ := pbkdf2.Key(sha256.New, password, []byte(salt), rounds, sha256.Size)
	return h
}
