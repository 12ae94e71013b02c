package crowd

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Report is what is printed.
type Report struct {
	TicksPct float64 `json:"ticks_pct"`            // of those that were due
	Updates  float64 `json:"updates_per_client_s"` // of residents
	CPU      float64 `json:"cpu_s_per_s"`          // of the processes with rooms
	RoomTick float64 `json:"us_per_room_tick"`     // of a processor, all that the processes did meanwhile
	KiB      float64 `json:"kib_per_room"`         // of heap
	Asking
	Connected int     `json:"connected"`      // residents, at the end
	Gone      int     `json:"residents_gone"` // who were not let in, or lost their session
	Processes int     `json:"processes"`
	RoomsMost int     `json:"rooms_of_fullest_process"`
	LateMS    float64 `json:"latest_turn_ms"`
	LoadBusy  float64 `json:"load_busy"` // share of its time that the load worked
	// LostOthers are ticks of rooms without trouble that were due and not made.
	LostOthers uint64 `json:"ticks_lost_others"`
	// Told is what the operator was told of rooms with trouble, by what that is.
	Told map[string]string `json:"trouble_told,omitempty"`
	// Limit is why the machine of the players was the limit, so that no figure is to be trusted.
	Limit string `json:"limit,omitempty"`
}

// Asking is what came of asking for seats.
type Asking struct {
	Joins   int     `json:"joins"` // who asked for a seat
	Refused int     `json:"refused"`
	Late    int     `json:"joins_late"`    // answered after more than a second, or not at all
	Failed  int     `json:"joins_failed"`  // not answered
	Doubled int     `json:"seats_doubled"` // given while they were somebody else's
	Over    int     `json:"over_capacity"` // players beyond the seats of their room
	JoinP50 float64 `json:"join_p50_ms"`   // from when somebody wanted to ask until there was an answer
	JoinP99 float64 `json:"join_p99_ms"`
	JoinMS  float64 `json:"slowest_join_ms"`
	Given   int     `json:"seats_given"`
	Entered int     `json:"visitors_entered"`     // of those who contested a seat and were given one
	Turned  int     `json:"visitors_turned_away"` // who came with a token and did not get in
	// Refusals are the codes of refusals.
	Refusals map[string]int `json:"refusals"`
}

// Print prints a report, as JSON or as lines with the names that JSON has.
func Print(out io.Writer, r any, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	var show func(v reflect.Value) error
	show = func(v reflect.Value) error {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Anonymous {
				if err := show(v.Field(i)); err != nil {
					return err
				}
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			value := v.Field(i).Interface()
			if x, ok := value.(float64); ok {
				value = fmt.Sprintf("%.2f", x)
			}
			if _, err := fmt.Fprintf(out, "%-24s %v\n", name, value); err != nil {
				return err
			}
		}
		return nil
	}
	return show(reflect.Indirect(reflect.ValueOf(r)))
}
