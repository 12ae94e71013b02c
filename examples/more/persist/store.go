package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	_ "modernc.org/sqlite" // the driver
)

// Player is what the game stores of a player.
type Player struct {
	ID    uint64
	Place Place
	Score Score
	Bag   Bag
}

// Store keeps the world and the players. Several goroutines may call it.
type Store interface {
	// World returns the save that was committed last, nil if there is none.
	World() ([]byte, error)
	// Player returns the row that was committed last for a player. For a new player, found is false.
	Player(id uint64) (p Player, found bool, err error)
	// Commit replaces the world and the rows of some players in one transaction. When it returns nil, both survive a crash of the
	// machine.
	Commit(world []byte, players []Player) error
}

// SQLite is a Store in a file.
type SQLite struct{ db *sql.DB }

// OpenSQLite opens or creates the file of a store. Only one process can have it open.
func OpenSQLite(file string) (*SQLite, error) {
	pragmas := url.Values{"_pragma": {"locking_mode(exclusive)", "journal_mode(wal)", "synchronous(full)"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?"+pragmas.Encode())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	db.SetMaxOpenConns(1)
	if _, err = db.Exec(`
		BEGIN EXCLUSIVE;
		CREATE TABLE IF NOT EXISTS world (id INTEGER PRIMARY KEY CHECK (id = 1), save BLOB NOT NULL);
		CREATE TABLE IF NOT EXISTS players (
			id INTEGER PRIMARY KEY, x REAL NOT NULL, y REAL NOT NULL, score INTEGER NOT NULL, bag TEXT NOT NULL);
		COMMIT`); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: is another server using the file?", file, err), db.Close())
	}
	return &SQLite{db}, nil
}

// Close closes the file.
func (s *SQLite) Close() error { return s.db.Close() }

// World implements [Store].
func (s *SQLite) World() (save []byte, err error) {
	err = s.db.QueryRow(`SELECT save FROM world`).Scan(&save)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return save, err
}

// Player implements [Store].
func (s *SQLite) Player(id uint64) (p Player, found bool, err error) {
	var bag []byte
	row := s.db.QueryRow(`SELECT x, y, score, bag FROM players WHERE id = ?`, int64(id))
	err = row.Scan(&p.Place.X, &p.Place.Y, &p.Score.Points, &bag)
	if errors.Is(err, sql.ErrNoRows) {
		return Player{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(bag, &p.Bag)
	}
	p.ID = id
	return p, err == nil, err
}

// Commit implements [Store].
func (s *SQLite) Commit(world []byte, players []Player) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if _, err := tx.Exec(`REPLACE INTO world VALUES (1, ?)`, world); err != nil {
		return err
	}
	for _, p := range players {
		bag, err := json.Marshal(p.Bag)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`REPLACE INTO players VALUES (?, ?, ?, ?, ?)`, int64(p.ID), p.Place.X, p.Place.Y, p.Score.Points, bag); err != nil {
			return err
		}
	}
	return tx.Commit()
}
