package crowd

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Report is the printed result.
type Report struct {
	TicksPct float64 `json:"ticks_pct"`            // share of the due ticks
	Updates  float64 `json:"updates_per_client_s"` // received by residents
	CPU      float64 `json:"cpu_s_per_s"`          // by the processes with rooms
	RoomTick float64 `json:"us_per_room_tick"`     // processor time per room tick, including everything else in the processes
	KiB      float64 `json:"kib_per_room"`         // of heap
	Asking
	Connected int     `json:"connected"`      // residents, at the end
	Gone      int     `json:"residents_gone"` // residents who did not connect or lost their session
	Processes int     `json:"processes"`
	RoomsMost int     `json:"rooms_of_fullest_process"`
	LateMS    float64 `json:"latest_turn_ms"`
	LoadBusy  float64 `json:"load_busy"` // busy share of the load's time
	// LostOthers is the number of due ticks that rooms without faults did not run.
	LostOthers uint64 `json:"ticks_lost_others"`
	// Told is the operator's report about rooms with faults, by fault.
	Told map[string]string `json:"trouble_told,omitempty"`
	// Limit is set if the players' machine was the limit; then trust no figure.
	Limit string `json:"limit,omitempty"`
}

// Asking is the result of the seat requests.
type Asking struct {
	Joins   int     `json:"joins"` // requests
	Refused int     `json:"refused"`
	Late    int     `json:"joins_late"`    // answered after more than a second, or never
	Failed  int     `json:"joins_failed"`  // never answered
	Doubled int     `json:"seats_doubled"` // assigned while another player had them
	Over    int     `json:"over_capacity"` // players beyond the seats of their room
	JoinP50 float64 `json:"join_p50_ms"`   // from the intended time of the request to its answer
	JoinP99 float64 `json:"join_p99_ms"`
	JoinMS  float64 `json:"slowest_join_ms"`
	Given   int     `json:"seats_given"`
	Entered int     `json:"visitors_entered"`     // visitors who connected
	Turned  int     `json:"visitors_turned_away"` // visitors with a token who could not connect
	// Refusals counts refused requests by error code.
	Refusals map[string]int `json:"refusals"`
}

// Print prints a report as JSON or as lines with the same names.
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
