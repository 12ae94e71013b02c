# Draws the arena: a node for each row that the client draws, moved in every frame.
#
#	godot --path . -- [HOST:PORT [SECONDS]]
#
# W, A, S, D and the mouse play. With SECONDS it plays by itself, says what it has seen, and ends.
extends Node2D

const UP = 1
const DOWN = 2
const LEFT = 4
const RIGHT = 8
const FIRE = 16

var client := ArenaClient.new()
var nodes: Dictionary[int, Polygon2D] = {}
var left := INF
var me := Vector2.INF
var nearest := Vector2.INF
var moved := 0.0

func _ready() -> void:
	var args := OS.get_cmdline_user_args()
	var why := client.open(args[0] if args.size() > 0 else "127.0.0.1:7777")
	if why != "":
		end(why)
		return
	if args.size() > 1:
		left = float(args[1])

func _process(delta: float) -> void:
	left -= delta
	if left < 0:
		print("saw %d entities, moved %d units, %d hits" % [nodes.size(), moved, client.hits()])
		get_tree().quit()
		return
	var aim := get_global_mouse_position() - me
	var buttons := keys()
	if left != INF: # nobody is there who could press one
		aim = nearest - me
		buttons = FIRE | (RIGHT if int(left) % 2 == 0 else DOWN)
	if not client.step(buttons, aim.angle() if aim.is_finite() else 0.0):
		end(client.text())
		return
	draw_rows(client.handles(), client.states())

func end(why: String) -> void:
	printerr(why)
	set_process(false)
	get_tree().quit(1)

func keys() -> int:
	var b := 0
	b |= UP if Input.is_physical_key_pressed(KEY_W) else 0
	b |= DOWN if Input.is_physical_key_pressed(KEY_S) else 0
	b |= LEFT if Input.is_physical_key_pressed(KEY_A) else 0
	b |= RIGHT if Input.is_physical_key_pressed(KEY_D) else 0
	b |= FIRE if Input.is_mouse_button_pressed(MOUSE_BUTTON_LEFT) else 0
	return b

# draw_rows moves the nodes of what is there, makes those of what came, and frees those of what is gone.
func draw_rows(handles: PackedInt64Array, states: PackedFloat32Array) -> void:
	var gone := nodes.duplicate()
	nearest = Vector2.INF
	for i in handles.size():
		var at := Vector2(states[4 * i], states[4 * i + 1])
		var what := int(states[4 * i + 3])
		gone.erase(handles[i])
		var node: Polygon2D = nodes.get(handles[i])
		if node == null:
			node = Polygon2D.new()
			node.polygon = [Vector2(16, 0), Vector2(-11, 10), Vector2(-11, -10)]
			nodes[handles[i]] = node
			add_child(node)
		node.position = at
		node.rotation = states[4 * i + 2]
		node.color = Color.DIM_GRAY if what & 4 else Color.GOLD if what & 1 else Color.TOMATO if what & 2 else Color.STEEL_BLUE
		if what & 1:
			if me.is_finite() and me.distance_to(at) < 50: # more is a way back to life elsewhere
				moved += me.distance_to(at)
			me = at
			$Camera.position = at
		elif what & 4 == 0 and me.distance_to(at) < me.distance_to(nearest):
			nearest = at
	for handle in gone:
		nodes[handle].queue_free()
		nodes.erase(handle)
