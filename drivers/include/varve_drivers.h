// SPDX-License-Identifier: Apache-2.0
// The border between varve (C++) and its drivers for Cassandra and Redis (Rust). C++ owns encoding and meaning, the
// drivers own connections, routing and retries. src/driver wraps this header; nothing else includes it.
//
// Threads. Every function may be called on any thread, also in a callback, except where it says otherwise. Callbacks
// come on the runtime's threads (drv_runtime_options.threads): keep them short, never block in them. No function
// blocks, except drv_runtime_free.
//
// Requests. A function that takes a callback copies all that it is given before it returns, and calls back exactly
// once: with a result, or with an error. The callback may come before the function returns. `request`, where not NULL,
// receives a handle to cancel with, which the caller frees with drv_request_free at any time; freeing cancels nothing.
//
// Results. What a callback is given as a result belongs to the receiver, who frees it with the function named at its
// type; an error belongs to the driver and is valid during the callback only. Results and handles are independent of
// each other: a statement may be freed while requests of it are under way, a session while its rows are being read.
//
// Panics of the drivers end at this border: as DRV_INTERNAL where there is a callback, else as NULL.
#ifndef VARVE_DRIVERS_H
#define VARVE_DRIVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that somebody else owns. data NULL: absent, which is null for a cell and "not given" for an option. An empty
// value has size 0 and any data that is not NULL.
typedef struct drv_slice {
  const uint8_t* data;
  size_t size;
} drv_slice;

typedef enum drv_code {
  DRV_INVALID = 1,      // statement, value, option: wrong, and wrong again next time
  DRV_AUTH = 2,         // user, password or permission
  DRV_SCHEMA = 3,       // keyspace or table is there already or not there, or the nodes did not agree in time
  DRV_UNAVAILABLE = 4,  // not enough nodes, starting up, read-only: nothing was done, or not enough of it
  DRV_OVERLOADED = 5,   // the server, or a connection to it, has too much to do
  DRV_TIMEOUT = 6,      // no answer in time: it may have been done, or not
  DRV_IO = 7,           // no connection, or it broke: it may have been done, or not
  DRV_CANCELLED = 8,    // by drv_request_cancel, or because the runtime ends: it may have been done, or not
  DRV_INTERNAL = 9      // an answer that makes no sense, a panic
} drv_code;

typedef struct drv_error {
  drv_code code;
  drv_slice message;  // UTF-8, for a person
} drv_error;

// --- runtime

typedef struct drv_runtime drv_runtime;
typedef struct drv_request drv_request;

// Starts the threads; 0: one a core. NULL: they cannot be had.
drv_runtime* drv_runtime_new(uint32_t threads);
// Cancels every request, waits for every callback, ends the threads. Blocks. False, and nothing is done, when called in
// a callback. What is asked of its sessions later is called back with DRV_CANCELLED before the asking function returns.
// The sessions, statements, rows and replies are still to be freed, before or after.
bool drv_runtime_free(drv_runtime* runtime);

// The request is called back with DRV_CANCELLED, on a runtime thread, unless it is done by now. Does not wait.
void drv_request_cancel(const drv_request* request);
void drv_request_free(drv_request* request);  // NULL is allowed, here and in all that free

// --- Cassandra

typedef struct drv_cassandra drv_cassandra;  // a session: connections to all nodes
typedef struct drv_statement drv_statement;  // a prepared statement
typedef struct drv_rows drv_rows;            // one page of rows

// The numbers of the CQL protocol.
typedef enum drv_consistency {
  DRV_ANY = 0,
  DRV_ONE = 1,
  DRV_TWO = 2,
  DRV_THREE = 3,
  DRV_QUORUM = 4,
  DRV_ALL = 5,
  DRV_LOCAL_QUORUM = 6,
  DRV_EACH_QUORUM = 7,
  DRV_LOCAL_ONE = 10,
  DRV_CONSISTENCY_DEFAULT = 0xffff  // of the session; for the session itself: LOCAL_QUORUM
} drv_consistency;

// PEM files. With any of them, or with `enabled`, connections are encrypted and the server's certificate is verified:
// its chain by `ca_file` (else by the system's authorities), its name by the address that is connected to.
typedef struct drv_tls {
  bool enabled;
  drv_slice ca_file;
  drv_slice certificate_file, key_file;  // of the client, both or none
} drv_tls;

typedef struct drv_cassandra_options {
  drv_slice contact_points;  // "host:port,host,[::1]:9042"; the other nodes are found through these
  drv_slice keyspace;        // of statements that name none; must exist
  drv_slice local_dc;        // absent: all data centres are alike; else others are never asked
  drv_slice user, password;
  drv_tls tls;
  uint16_t consistency;           // drv_consistency
  uint32_t request_timeout_ms;    // of a request with all its retries, and of connecting altogether; 0: 10 s
  uint32_t connect_timeout_ms;    // of one TCP connection; 0: 5 s
  uint32_t schema_timeout_ms;     // how long the nodes may take to agree; 0: 30 s
  uint32_t connections_per_node;  // 0: 1
  uint32_t retries;               // of an idempotent request that timed out at the server, on the same node
  bool lz4;                       // compress frames; pays only for rows that are not compressed themselves
} drv_cassandra_options;

typedef struct drv_execute_options {
  uint16_t consistency;  // drv_consistency
  bool idempotent;       // may be sent again; gets one write timestamp for all its attempts
  bool has_timestamp;
  int64_t timestamp_us;  // of the write, if has_timestamp; later ones win
  uint32_t page_size;    // rows in a page at most; 0: all rows in one answer
  uint32_t timeout_ms;   // 0: the session's
} drv_execute_options;

// cells: one for each '?' of the statement, encoded as the CQL protocol wants that type.
typedef struct drv_bound {
  const drv_statement* statement;
  const drv_slice* cells;
  size_t cell_count;
} drv_bound;

typedef void (*drv_cassandra_fn)(void* context, const drv_error* error, drv_cassandra* session);
typedef void (*drv_statement_fn)(void* context, const drv_error* error, drv_statement* statement);
// rows: NULL on error and where the statement has no rows to give (writes, DDL).
typedef void (*drv_rows_fn)(void* context, const drv_error* error, drv_rows* rows);

// DRV_IO: none of the contact points answers. Later losses are repaired by the session itself: it connects again to a
// node that was down within ten seconds of its return.
void drv_cassandra_connect(const drv_runtime* runtime, const drv_cassandra_options* options, drv_cassandra_fn done,
                           void* context, drv_request** request);
// Requests under way go on, and the connections end with the last of them.
void drv_cassandra_free(drv_cassandra* session);

// A statement without values, not prepared: DDL and the like. Waits for schema agreement where the schema changed.
void drv_cassandra_query(const drv_cassandra* session, drv_slice cql, const drv_execute_options* options,
                         drv_rows_fn done, void* context, drv_request** request);
// Waits until all nodes that are up have one schema. Calls back without rows; DRV_SCHEMA: not in schema_timeout_ms.
void drv_cassandra_agree(const drv_cassandra* session, drv_rows_fn done, void* context, drv_request** request);

void drv_cassandra_prepare(const drv_cassandra* session, drv_slice cql, drv_statement_fn done, void* context,
                           drv_request** request);
size_t drv_statement_cells(const drv_statement* statement);  // how many '?' it has
void drv_statement_free(drv_statement* statement);

// Goes to a replica of the partition if the statement binds the whole partition key.
void drv_cassandra_execute(const drv_cassandra* session, const drv_bound* bound, const drv_execute_options* options,
                           drv_rows_fn done, void* context, drv_request** request);
// An unlogged batch, sent to a replica of the first row's partition: use it for rows of one partition. At most 65535.
// Calls back without rows. page_size is ignored.
void drv_cassandra_batch(const drv_cassandra* session, const drv_bound* bound, size_t count,
                         const drv_execute_options* options, drv_rows_fn done, void* context, drv_request** request);

size_t drv_rows_count(const drv_rows* rows);
size_t drv_rows_columns(const drv_rows* rows);
// drv_rows_count × drv_rows_columns cells, row after row. Valid until the rows are freed.
const drv_slice* drv_rows_cells(const drv_rows* rows);
bool drv_rows_more(const drv_rows* rows);
// Asks for the page after this one (DRV_INVALID: there is none); nothing is fetched before. May be asked again, and
// `rows` may be freed at once.
void drv_rows_next(const drv_rows* rows, drv_rows_fn done, void* context, drv_request** request);
void drv_rows_free(drv_rows* rows);

// --- Redis

typedef struct drv_redis drv_redis;    // one connection, shared by all its commands; made again when it breaks
typedef struct drv_script drv_script;  // the text of a Lua script and its hash
typedef struct drv_reply drv_reply;

typedef struct drv_redis_options {
  drv_slice url;                // redis://host:port/db, rediss:// for TLS, redis+unix:///path
  drv_slice user, password;     // instead of those in the URL
  drv_tls tls;                  // files for rediss://; enabled is ignored
  uint32_t connect_timeout_ms;  // 0: 2 s
  uint32_t request_timeout_ms;  // 0: 5 s
  bool lazy;                    // call back without having connected: the first command connects
} drv_redis_options;

// With a script: EVALSHA, and args are the number of keys, the keys, and what the script is given. Without: args are
// the words of a command.
typedef struct drv_command {
  const drv_script* script;
  const drv_slice* args;
  size_t arg_count;
} drv_command;

typedef enum drv_node_kind {
  DRV_NIL = 0,
  DRV_INTEGER = 1,  // also a RESP3 boolean
  DRV_TEXT = 2,     // a string, a status ("OK"), a RESP3 double
  DRV_ARRAY = 3,    // of `integer` trees
  DRV_FAILED = 4    // the server's word on this one command: text begins with its code ("WRONGTYPE …")
} drv_node_kind;

// A reply tree written down from the top: a parent, then each of its children with all that is below it.
typedef struct drv_node {
  drv_node_kind kind;
  int64_t integer;
  size_t nodes;  // of this tree, with its root: the next tree is so many nodes further
  drv_slice text;
} drv_node;

typedef void (*drv_redis_fn)(void* context, const drv_error* error, drv_redis* redis);
typedef void (*drv_reply_fn)(void* context, const drv_error* error, drv_reply* reply);

void drv_redis_connect(const drv_runtime* runtime, const drv_redis_options* options, drv_redis_fn done, void* context,
                       drv_request** request);
void drv_redis_free(drv_redis* redis);

drv_script* drv_script_new(drv_slice lua);
void drv_script_free(drv_script* script);

// Sends all commands at once; the reply has one tree a command, in their order. A command that fails is a DRV_FAILED
// node, not an error. A script that the server does not know is loaded, and the commands of it are sent once more: then
// they run after their neighbours. timeout_ms 0: the connection's. A command that blocks at the server (BLPOP) holds up
// all others of this connection. After an error every command may have been done, or not: nothing is sent twice.
void drv_redis_pipeline(const drv_redis* redis, const drv_command* commands, size_t count, uint32_t timeout_ms,
                        drv_reply_fn done, void* context, drv_request** request);

size_t drv_reply_size(const drv_reply* reply);            // how many nodes
const drv_node* drv_reply_nodes(const drv_reply* reply);  // valid until the reply is freed
void drv_reply_free(drv_reply* reply);

#ifdef __cplusplus
}
#endif

#endif
