// The arena's client as a class of Godot, ArenaClient, in C: an extension that hands a script rows of what the library
// libarena draws. Make writes gdextension_interface.h, with Godot's own --dump-gdextension-interface. It needs Godot 4.4.

#include <stdlib.h>

#include "arena.h"
#include "gdextension_interface.h"
#include "tactus.h"

// What an instance of the class is.
typedef struct player {
  tactus_client client;
  const tactus_view *view; // of the newest step, NULL before
  int64_t hits;
  uint8_t judged; // the newest shot of which it is known whom it hit
} player;

// Godot's values, as extensions see them: room for the largest that this one has.
typedef union value {
  uint64_t room[4];
  GDExtensionBool truth;
  int64_t number;
  double real;
} value;

enum { most = 2 }; // arguments

// A method: arguments and result as values of its types. The result holds one already.
typedef struct method {
  const char *name;
  void (*call)(player *p, const GDExtensionConstTypePtr *args, void *result);
  GDExtensionVariantType result;
  int count;
  GDExtensionVariantType args[most];
} method;

// What Godot does for extensions, of which this one uses so much.
static struct {
  GDExtensionClassLibraryPtr library;
  value class, parent, nothing, empty; // names, and a text
  GDExtensionInterfaceStringNameNewWithLatin1Chars new_name;
  GDExtensionInterfaceStringNewWithUtf8Chars new_text;
  GDExtensionInterfaceStringToUtf8Chars read_text;
  GDExtensionInterfaceVariantGetPtrConstructor constructor;
  GDExtensionInterfaceVariantGetPtrDestructor destructor;
  GDExtensionInterfaceGetVariantFromTypeConstructor from_type;
  GDExtensionInterfaceGetVariantToTypeConstructor to_type;
  GDExtensionInterfaceClassdbConstructObject2 construct;
  GDExtensionInterfaceObjectSetInstance set_instance;
  GDExtensionInterfacePackedFloat32ArrayOperatorIndex floats;
  GDExtensionInterfacePackedInt64ArrayOperatorIndex numbers;
  GDExtensionPtrBuiltInMethod resize_floats, resize_numbers;
} godot;

// FIND sets a function of Godot's, NULL where it has none of that name.
#define FIND(to, name)                                      \
  do {                                                      \
    const GDExtensionInterfaceFunctionPtr found = find(name); \
    memcpy(&(to), &found, sizeof found);                    \
  } while (0)

// have returns a column of a table, NULL where its rows have no such component.
#define have(table, component) ((const arena_##component *)(table)->columns[arena_column_##component])

static void set_text(void *result, const char *text) {
  godot.destructor(GDEXTENSION_VARIANT_TYPE_STRING)(result);
  godot.new_text(result, text);
}

// open begins to play on a server, and returns what is wrong, or nothing.
static void open(player *p, const GDExtensionConstTypePtr *args, void *result) {
  static char why[8192];
  char server[256];
  const GDExtensionInt n = godot.read_text(args[0], server, sizeof server - 1);
  server[n] = 0;
  if (!arena_check(tactus_lines(), why, sizeof why)) {
    set_text(result, why);
    return;
  }
  tactus_failure failure = {0};
  tactus_close(p->client);
  const tactus_options options = {.size = sizeof options, .server = server};
  *p = (player){.client = tactus_open(&options, &failure)};
  set_text(result, failure.text);
}

// shown reports whether rows of a table are drawn.
static bool shown(const tactus_table *t) { return have(t, Position) && have(t, Heading) && have(t, Fighter); }

static bool own(const player *p, const tactus_table *t, uint32_t row) {
  return have(t, Owner) && have(t, Owner)[row].Client == ((const arena_Stats *)p->view->stats)->Client;
}

// step presses buttons, aims, lets time pass, and makes the next frame. It returns whether the session goes on.
static void step(player *p, const GDExtensionConstTypePtr *args, void *result) {
  const double turns = *(const double *)args[1] / 6.283185307179586;
  const arena_Action input = {.Buttons = (uint8_t)*(const int64_t *)args[0], .Aim = (uint16_t)(int64_t)(turns * 65536)};
  p->view = NULL;
  const bool going = tactus_set_input(p->client, &input, sizeof input) == 0 && tactus_advance(p->client, 0) >= 0;
  if (going) p->view = tactus_frame(p->client, 0);
  *(GDExtensionBool *)result = p->view != NULL;
  for (uint32_t i = 0; p->view && i < p->view->tables; i++) {
    const tactus_table *t = &p->view->table[i];
    const arena_Verdict *verdict = have(t, Verdict);
    for (uint32_t r = 0; verdict && r < t->rows; r++) {
      if (!own(p, t, r) || verdict[r].Tick == 0 || verdict[r].Shot == p->judged) continue;
      p->judged = verdict[r].Shot;
      p->hits += verdict[r].Whom != 0;
    }
  }
}

// rows is how many are drawn.
static int64_t rows(const player *p) {
  int64_t n = 0;
  for (uint32_t i = 0; p->view && i < p->view->tables; i++) n += shown(&p->view->table[i]) ? p->view->table[i].rows : 0;
  return n;
}

// handles are numbers of what is drawn: the same as long as it is.
static void handles(player *p, const GDExtensionConstTypePtr *args, void *result) {
  (void)args;
  const int64_t n = rows(p);
  int64_t resized;
  godot.resize_numbers(result, (const GDExtensionConstTypePtr[]){&n}, &resized, 1);
  int64_t *to = n > 0 ? godot.numbers(result, 0) : NULL;
  for (uint32_t i = 0; n > 0 && i < p->view->tables; i++) {
    const tactus_table *t = &p->view->table[i];
    if (!shown(t)) continue;
    memcpy(to, t->handles, t->rows * sizeof *to);
    to += t->rows;
  }
}

// states are four numbers each, in the order of handles: x, y, the angle in radians, and what it is: 1 the player of this
// client, 2 another one, 4 down.
static void states(player *p, const GDExtensionConstTypePtr *args, void *result) {
  (void)args;
  const int64_t n = 4 * rows(p);
  int64_t resized;
  godot.resize_floats(result, (const GDExtensionConstTypePtr[]){&n}, &resized, 1);
  float *to = n > 0 ? godot.floats(result, 0) : NULL;
  for (uint32_t i = 0; n > 0 && i < p->view->tables; i++) {
    const tactus_table *t = &p->view->table[i];
    if (!shown(t)) continue;
    for (uint32_t r = 0; r < t->rows; r++, to += 4) {
      to[0] = have(t, Position)[r].X;
      to[1] = have(t, Position)[r].Y;
      to[2] = (float)have(t, Heading)[r].Angle * (6.2831853f / 65536);
      to[3] = (float)((own(p, t, r) ? 1 : have(t, Player) ? 2 : 0) + (have(t, Fighter)[r].Down ? 4 : 0));
    }
  }
}

static void hits(player *p, const GDExtensionConstTypePtr *args, void *result) {
  (void)args;
  *(int64_t *)result = p->hits;
}

// text says why the session ended, or what failed last.
static void text(player *p, const GDExtensionConstTypePtr *args, void *result) {
  (void)args;
  tactus_end(p->client);
  set_text(result, tactus_text(p->client));
}

static const method methods[] = {
    {"open", open, GDEXTENSION_VARIANT_TYPE_STRING, 1, {GDEXTENSION_VARIANT_TYPE_STRING}},
    {"step", step, GDEXTENSION_VARIANT_TYPE_BOOL, 2, {GDEXTENSION_VARIANT_TYPE_INT, GDEXTENSION_VARIANT_TYPE_FLOAT}},
    {"handles", handles, GDEXTENSION_VARIANT_TYPE_PACKED_INT64_ARRAY, 0, {0}},
    {"states", states, GDEXTENSION_VARIANT_TYPE_PACKED_FLOAT32_ARRAY, 0, {0}},
    {"hits", hits, GDEXTENSION_VARIANT_TYPE_INT, 0, {0}},
    {"text", text, GDEXTENSION_VARIANT_TYPE_STRING, 0, {0}},
};

// destroy ends a value of a type that has an end.
static void destroy(GDExtensionVariantType type, value *v) {
  const GDExtensionPtrDestructor end = godot.destructor(type);
  if (end) end(v);
}

// call_typed is a call by a script that knows the types.
static void call_typed(void *of, GDExtensionClassInstancePtr p, const GDExtensionConstTypePtr *args, GDExtensionTypePtr result) {
  ((const method *)of)->call(p, args, result);
}

// call_any is a call with values of any type.
static void call_any(void *of, GDExtensionClassInstancePtr p, const GDExtensionConstVariantPtr *args, GDExtensionInt n, GDExtensionVariantPtr result, GDExtensionCallError *error) {
  const method *m = of;
  value given[most], made = {{0}};
  GDExtensionConstTypePtr typed[most] = {0};
  if (n != m->count) {
    error->error = n < m->count ? GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS : GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS;
    error->expected = m->count;
    return;
  }
  for (int i = 0; i < m->count; i++) {
    godot.to_type(m->args[i])(&given[i], (GDExtensionVariantPtr)args[i]);
    typed[i] = &given[i];
  }
  godot.constructor(m->result, 0)(&made, NULL);
  m->call(p, typed, &made);
  godot.from_type(m->result)(result, &made);
  destroy(m->result, &made);
  for (int i = 0; i < m->count; i++) destroy(m->args[i], &given[i]);
}

static GDExtensionObjectPtr create(void *unused, GDExtensionBool notify) {
  (void)unused, (void)notify;
  const GDExtensionObjectPtr object = godot.construct(&godot.parent);
  godot.set_instance(object, &godot.class, calloc(1, sizeof(player)));
  return object;
}

static void discard(void *unused, GDExtensionClassInstancePtr p) {
  (void)unused;
  tactus_close(((player *)p)->client);
  free(p);
}

// begin makes the class known.
static void begin(void *get, GDExtensionInitializationLevel level) {
  if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
  GDExtensionInterfaceGetProcAddress find;
  memcpy(&find, &get, sizeof find);
  GDExtensionInterfaceClassdbRegisterExtensionClass4 add_class;
  GDExtensionInterfaceClassdbRegisterExtensionClassMethod add_method;
  FIND(add_class, "classdb_register_extension_class4");
  FIND(add_method, "classdb_register_extension_class_method");
  godot.new_name(&godot.class, "ArenaClient", 0);
  godot.new_name(&godot.parent, "RefCounted", 0);
  godot.new_name(&godot.nothing, "", 0);
  godot.new_text(&godot.empty, "");
  const GDExtensionClassCreationInfo4 info = {.is_exposed = 1, .create_instance_func = create, .free_instance_func = discard};
  add_class(godot.library, &godot.class, &godot.parent, &info);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const method *m = &methods[i];
    value name, letters[most];
    GDExtensionPropertyInfo result = {.type = m->result, .name = &godot.nothing, .class_name = &godot.nothing, .hint_string = &godot.empty}, args[most];
    GDExtensionClassMethodArgumentMetadata plain[most] = {0};
    for (int a = 0; a < m->count; a++) {
      godot.new_name(&letters[a], (const char *[]){"a", "b"}[a], 0);
      args[a] = (GDExtensionPropertyInfo){.type = m->args[a], .name = &letters[a], .class_name = &godot.nothing, .hint_string = &godot.empty};
    }
    godot.new_name(&name, m->name, 0);
    const GDExtensionClassMethodInfo described = {
        .name = &name, .method_userdata = (void *)m, .call_func = call_any, .ptrcall_func = call_typed, .method_flags = GDEXTENSION_METHOD_FLAGS_DEFAULT,
        .has_return_value = 1, .return_value_info = &result, .argument_count = (uint32_t)m->count, .arguments_info = args, .arguments_metadata = plain};
    add_method(godot.library, &godot.class, &described);
    destroy(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &name);
    for (int a = 0; a < m->count; a++) destroy(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &letters[a]);
  }
}

static void end(void *get, GDExtensionInitializationLevel level) {
  if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
  GDExtensionInterfaceGetProcAddress find;
  memcpy(&find, &get, sizeof find);
  GDExtensionInterfaceClassdbUnregisterExtensionClass remove_class;
  FIND(remove_class, "classdb_unregister_extension_class");
  remove_class(godot.library, &godot.class);
  destroy(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &godot.class);
  destroy(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &godot.parent);
  destroy(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &godot.nothing);
  destroy(GDEXTENSION_VARIANT_TYPE_STRING, &godot.empty);
}

// arena_extension is where Godot begins, as arena.gdextension says.
GDExtensionBool arena_extension(GDExtensionInterfaceGetProcAddress find, GDExtensionClassLibraryPtr library, GDExtensionInitialization *to) {
  godot.library = library;
  FIND(godot.new_name, "string_name_new_with_latin1_chars");
  FIND(godot.new_text, "string_new_with_utf8_chars");
  FIND(godot.read_text, "string_to_utf8_chars");
  FIND(godot.constructor, "variant_get_ptr_constructor");
  FIND(godot.destructor, "variant_get_ptr_destructor");
  FIND(godot.from_type, "get_variant_from_type_constructor");
  FIND(godot.to_type, "get_variant_to_type_constructor");
  FIND(godot.construct, "classdb_construct_object2");
  FIND(godot.set_instance, "object_set_instance");
  FIND(godot.floats, "packed_float32_array_operator_index");
  FIND(godot.numbers, "packed_int64_array_operator_index");
  GDExtensionInterfaceVariantGetPtrBuiltinMethod builtin;
  FIND(builtin, "variant_get_ptr_builtin_method");
  if (!godot.construct || !builtin) return 0; // older than 4.4
  value resize;
  godot.new_name(&resize, "resize", 0);
  const GDExtensionInt same = 848867239; // what extension_api.json calls the hash of both
  godot.resize_floats = builtin(GDEXTENSION_VARIANT_TYPE_PACKED_FLOAT32_ARRAY, &resize, same);
  godot.resize_numbers = builtin(GDEXTENSION_VARIANT_TYPE_PACKED_INT64_ARRAY, &resize, same);
  destroy(GDEXTENSION_VARIANT_TYPE_STRING_NAME, &resize);
  to->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
  memcpy(&to->userdata, &find, sizeof to->userdata);
  to->initialize = begin;
  to->deinitialize = end;
  return godot.resize_floats && godot.resize_numbers;
}
