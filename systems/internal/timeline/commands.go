package timeline

import (
	"fmt"

	"github.com/tactusgo/tactus/systems/internal/commands"
)

// Commands are what players do besides inputs, by tick: see [ecs.Command].
type Commands struct{ t *Timeline }

// CommandsOf are those of a timeline, of the ticks that come and of the window.
func CommandsOf(t *Timeline) Commands { return Commands{t} }

// Add makes a player do something at the begin of a tick: what [ecs.Players] packed. It does so behind those who
// leave and join in that tick, by player, and behind what the same player does in it. The player need not play.
//
// It returns [ErrFinal], wrapped.
func (c Commands) Add(player, tick uint32, command string) error {
	t := c.t
	if int64(tick) < t.horizon {
		return fmt.Errorf("timeline: Command of player %d in tick %d: %w", player, tick, ErrFinal)
	}
	t.doings.Add(commands.Entry{Tick: tick, Player: player, Kind: commands.Command, Value: command})
	t.changed = min(t.changed, int64(tick))
	return nil
}

// Append appends to dst those from a tick of the window on, as they run.
func (c Commands) Append(dst []commands.Entry, tick uint32) []commands.Entry {
	return c.t.doings.AppendCommands(dst, tick)
}
