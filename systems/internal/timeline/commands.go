package timeline

import (
	"fmt"

	"github.com/tactusgo/tactus/systems/internal/commands"
)

// AddCommand runs a command of a player at the start of tick. command is the output of [ecs.Players.Pack]. Commands
// run after the leaves and joins of the tick, ordered by player; commands of one player run in the order in which
// they were added. The player does not have to be in the game.
//
// AddCommand returns [ErrFinal], wrapped.
func (t *Timeline) AddCommand(player, tick uint32, command string) error {
	if int64(tick) < t.horizon {
		return fmt.Errorf("timeline: Command of player %d in tick %d: %w", player, tick, ErrFinal)
	}
	t.log.Add(commands.Entry{Tick: tick, Player: player, Kind: commands.Command, Value: command})
	t.changed = min(t.changed, int64(tick))
	return nil
}

// AppendCommands appends to dst the commands from a tick of the window on, in running order.
func (t *Timeline) AppendCommands(dst []commands.Entry, tick uint32) []commands.Entry {
	return t.log.AppendCommands(dst, tick)
}
